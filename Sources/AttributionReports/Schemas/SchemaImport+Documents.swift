import Attribution
import StrictJSON

/// Documents of others, as far as their forms are public.
///
/// - SeeAlso: [Google Ads](https://developers.google.com/google-ads/api/reference/rpc/latest/CustomerSkAdNetworkConversionValueSchema),
///   [AppsFlyer](https://dev.appsflyer.com/hc/reference/skan-3-cv-schema-get) and
///   [Adjust](https://help.adjust.com/en/article/skan-v3-mapping-api).
extension SchemaImport {
    /// The longest file, and how deep it nests.
    private static let (limit, depth) = (DocumentFile.limit + 64, 16)

    mutating func readDocument(_ bytes: [UInt8]) {
        let fields = problems.attempt(
            try DocumentFields(
                reading: bytes, limit: Self.limit, depth: Self.depth, name: "the file", cure: "export it again"))
        guard let fields else {
            return
        }
        let parts = fields.has(Self.stream) ? problems.attempt(try fields.children(Self.stream)) ?? [] : [fields]
        for part in parts {
            if part.has("results") || part.has("schema") {
                readGoogleAds(part)
            } else if part.has("data"), !part.isObject("data") {
                for app in problems.attempt(try part.children("data")) ?? [] {
                    if app.has(Names.appsFlyer.values) {
                        read(app, .appsFlyer)
                    } else {
                        noteUnknown(app)
                    }
                }
            } else if part.has("conversion_values") {
                read(part, .adjust)
            } else {
                noteUnknown(part)
            }
        }
    }

    private mutating func noteUnknown(_ fields: DocumentFields) {
        problems.note(
            DocumentProblem(
                fields.path.isEmpty ? "the file" : fields.path, found: "an object of another form",
                expected: "what Google Ads API's search, AppsFlyer's schema for SKAN 3 or Adjust's v3 mapping answers",
                cure: "write a table instead: conversion-value,window,event,revenue-from,revenue-to,currency"))
    }

    // MARK: AppsFlyer and Adjust

    /// The names of members of an answer that lists events by fine value.
    private struct Names {
        let app: String
        let values: String
        let low: String
        let high: String
        /// The currency of an event, or else of the app.
        let currency: (ofEvent: String?, ofApp: String?)

        static let appsFlyer = Names(
            app: "app_id", values: "conversion_value_mapping", low: "min_event_revenue", high: "max_event_revenue",
            currency: ("event_currency", nil))
        static let adjust = Names(
            app: "app_store_id", values: "conversion_values", low: "revenue_min", high: "revenue_max",
            currency: (nil, "reporting_currency"))
    }

    private mutating func read(_ fields: DocumentFields, _ names: Names) {
        guard let app = newApp(fields.item(names.app)) else {
            return
        }
        for child in problems.attempt(try fields.objects(names.values)) ?? [] {
            guard let value = problems.attempt(try child.integer("conversion_value", in: 0...63)) else {
                continue
            }
            let events = problems.attempt(try child.children("events")) ?? []
            for event in events {
                let known = problems.all.count
                let revenue = revenue(from: event.item(names.low), to: event.item(names.high))
                if problems.all.count == known {
                    let currency =
                        names.currency.ofEvent.map { event.item($0) } ?? names.currency.ofApp.map { fields.item($0) }
                    add(
                        event: event.item("event_name").text, revenue: revenue,
                        currency: currency ?? Item(path: fields.path("currency"), text: nil), to: .fine(value), of: app)
                }
            }
            if events.isEmpty {
                addNothing(child, to: .fine(value), of: app)
            }
        }
    }

    // MARK: Google Ads

    private mutating func readGoogleAds(_ answer: DocumentFields) {
        guard answer.has("results") else {
            return readGoogleAds(resource: answer)
        }
        for result in problems.attempt(try answer.children("results")) ?? [] {
            if let resource = problems.attempt(try result.child("customerSkAdNetworkConversionValueSchema")) {
                readGoogleAds(resource: resource)
            }
        }
    }

    /// In this form a number that is 0 is left out.
    private mutating func readGoogleAds(resource: DocumentFields) {
        guard let schema = problems.attempt(try resource.child("schema")), let app = newApp(schema.item("appId")) else {
            return
        }
        for child in problems.attempt(try schema.children("fineGrainedConversionValueMappings")) ?? [] {
            if let value = problems.attempt(try child.integer("fineGrainedConversionValue", in: 0...63, else: 0)) {
                readGoogleAds(child, "conversionValueMapping", as: .fine(value), of: app)
            }
        }
        for child in problems.attempt(try schema.children("postbackMappings")) ?? [] {
            let window = problems.attempt(try child.integer("postbackSequenceIndex", in: 0...2, else: 0))
            guard let window, child.has("coarseGrainedConversionValueMappings"),
                let values = problems.attempt(try child.child("coarseGrainedConversionValueMappings"))
            else {
                continue
            }
            for value in CoarseConversionValue.allCases where values.has("\(value.rawValue)ConversionValueMapping") {
                readGoogleAds(
                    values, "\(value.rawValue)ConversionValueMapping", as: .coarse(value, window: window), of: app)
            }
        }
    }

    private mutating func readGoogleAds(
        _ fields: DocumentFields,
        _ name: String,
        as value: Value,
        of app: AppStoreItemID
    ) {
        guard fields.has(name), let mapping = problems.attempt(try fields.child(name)) else {
            return
        }
        let events = problems.attempt(try mapping.children("mappedEvents")) ?? []
        for event in events {
            let known = problems.all.count
            let revenue = googleAdsRevenue(event)
            if problems.all.count == known {
                add(
                    event: event.item("mappedEventName").text, revenue: revenue, currency: event.item("currencyCode"),
                    to: value, of: app)
            }
        }
        if events.isEmpty {
            addNothing(mapping, to: value, of: app)
        }
    }

    private mutating func googleAdsRevenue(_ event: DocumentFields) -> ClosedRange<Money>? {
        guard event.has("eventRevenueRange") else {
            let value = event.item("eventRevenueValue")
            return revenue(from: value, to: value)
        }
        return problems.attempt(try event.child("eventRevenueRange")).flatMap { range in
            revenue(from: range.item("minEventRevenue"), to: range.item("maxEventRevenue"))
        }
    }

    // MARK: Parts

    /// The app of a schema, of which a file has one.
    private mutating func newApp(_ item: Item) -> AppStoreItemID? {
        guard let app = app(item) else {
            return nil
        }
        guard !has(app) else {
            note(item, expected: "one schema for each app", cure: "keep the schema that the app uses")
            return nil
        }
        return app
    }

    /// Notes that a value occurs, without events and revenue.
    private mutating func addNothing(_ fields: DocumentFields, to value: Value, of app: AppStoreItemID) {
        add(event: nil, revenue: nil, currency: Item(path: fields.path, text: nil), to: value, of: app)
    }
}

extension DocumentFields {
    /// A string or a number as text, with its path.
    fileprivate func item(_ name: String) -> SchemaImport.Item {
        SchemaImport.Item(path: path(name), text: decimalText(name).flatMap { $0.isEmpty ? nil : $0 })
    }
}
