package import Attribution

/// What a schema, or two of them, make of the value of a postback.
package struct DecodedConversion {
    /// How much is known.
    package enum Outcome: String, CaseIterable, Sendable {
        /// One meaning with revenue.
        case revenue
        /// A value of either of two schemas, both with revenue in one currency.
        case between
        /// One meaning, without revenue.
        case eventsOnly = "events-only"
        /// A value of either of two schemas that cannot be compared: not both have a meaning, revenue and one currency.
        case undecided
        /// A value without a meaning.
        case unmapped
        /// A value from a time for which the app has no schema.
        case withoutSchema = "without-schema"
        case null, absent, invalid
    }

    package let outcome: Outcome
    package private(set) var revenue: (bounds: ClosedRange<Money>, currency: CurrencyCode)?
    /// The events that happened for certain, and those that may have happened.
    package private(set) var events: [String] = []
    package private(set) var possibleEvents: [String] = []

    private init(_ outcome: Outcome) {
        self.outcome = outcome
    }

    /// Decodes a value of a window, counted from 0.
    package init(_ conversion: Conversion, window: Int, _ candidates: [ConversionSchema], mayHaveNone: Bool) {
        switch conversion {
        case .null: self.init(.null)
        case .absent: self.init(.absent)
        case .invalid: self.init(.invalid)
        case .fine, .coarse:
            self.init(
                candidates.map { ($0.meaning(of: conversion, window: window), $0.currency) }, mayHaveNone: mayHaveNone)
        }
    }

    private init(_ candidates: [(meaning: ConversionMeaning?, currency: CurrencyCode?)], mayHaveNone: Bool) {
        guard let first = candidates.first, !mayHaveNone else {
            self.init(.withoutSchema)
            return
        }
        let meanings = candidates.compactMap(\.meaning)
        guard !meanings.isEmpty else {
            self.init(.unmapped)
            return
        }
        let revenues = meanings.compactMap(\.revenue)
        let isComplete = meanings.count == candidates.count
        let isUnanimous = isComplete && Set(meanings).count == 1
        let haveOneCurrency = candidates.allSatisfy { $0.currency == first.currency }
        if let lowest = revenues.map(\.lowerBound).min(), let highest = revenues.map(\.upperBound).max(),
            isComplete, revenues.count == meanings.count, haveOneCurrency, let currency = first.currency
        {
            self.init(isUnanimous ? .revenue : .between)
            revenue = (lowest...highest, currency)
        } else if isComplete, revenues.isEmpty {
            self.init(.eventsOnly)
        } else {
            self.init(.undecided)
        }
        possibleEvents = meanings.reduce(into: []) { events, meaning in
            events += meaning.events.filter { !events.contains($0) }
        }
        events = isComplete ? possibleEvents.filter { event in meanings.allSatisfy { $0.events.contains(event) } } : []
    }
}
