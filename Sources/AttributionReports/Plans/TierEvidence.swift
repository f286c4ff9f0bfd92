import Attribution

/// What a postback shows of the data tier that Apple chose for it, which it does not name.
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
struct TierEvidence: Sendable {
    /// Postbacks of versions with tiers.
    struct Postbacks {
        let all: Counts
        /// Those without a source.
        let sourceless: Counts
        /// Those of these whose source identifier has two digits.
        let short: Counts

        /// Those without a source and with more digits.
        func long(_ count: (Counts) -> Int64) -> Int64 {
            count(sourceless) - count(short)
        }
    }

    /// Which postback it is, how many digits its source identifier has, its source and its conversion value.
    let fields: [String]
    /// The tiers that are possible, from all fields.
    let tiers: ClosedRange<Int64>
    /// The tiers that are possible from the fields that Apple signs: not from the conversion value.
    let signedTiers: ClosedRange<Int64>
    /// Why these tiers are possible.
    let reason: String
    /// How many postbacks show it.
    let count: @Sendable (Postbacks) -> Int64

    private init(
        _ fields: String...,
        tiers: ClosedRange<Int64>,
        signedTiers: ClosedRange<Int64>? = nil,
        _ reason: String,
        count: @escaping @Sendable (Postbacks) -> Int64
    ) {
        self.fields = fields
        self.tiers = tiers
        self.signedTiers = signedTiers ?? tiers
        self.reason = reason
        self.count = count
    }

    static let all = [
        TierEvidence("first", "any", "present", "any", tiers: 3...3, "only tier 3 names the source") {
            let (all, sourceless) = ($0.all, $0.sourceless)
            return all[.installs] + all[.reengagements] + all[.losses]
                - sourceless[.installs] - sourceless[.reengagements] - sourceless[.losses]
        },
        TierEvidence(
            "first", "3 or 4", "absent", "fine", tiers: 2...2,
            "tier 3 would name the source; tiers 0 and 1 have two digits"
        ) { $0.long { $0.firsts(\.isFine) } },
        TierEvidence(
            "first", "2", "absent", "fine", tiers: 2...2, signedTiers: 0...2,
            "tier 3 would name the source; tiers 0 and 1 have no fine value"
        ) { $0.short.firsts(\.isFine) },
        TierEvidence(
            "first", "2", "absent", "coarse", tiers: 1...1, signedTiers: 0...2,
            "only tier 1 has a coarse value in a first postback"
        ) { $0.short.firsts(\.isCoarse) },
        // Apple does not send this.
        TierEvidence(
            "first", "3 or 4", "absent", "coarse", tiers: 2...2,
            "tiers 0 and 1 have two digits, so the coarse value, which no one signs, was changed"
        ) { $0.long { $0.firsts(\.isCoarse) } },
        TierEvidence(
            "first", "3 or 4", "absent", "none", tiers: 2...2,
            "tier 3 would name the source; tiers 0 and 1 have two digits"
        ) { $0.long { $0.firsts(\.isNone) } },
        TierEvidence(
            "first", "2", "absent", "none", tiers: 0...2,
            "tier 3 would name the source; a value may be withheld, or the app set none"
        ) { $0.short.firsts(\.isNone) },
        TierEvidence(
            "later window", "any", "any", "any", tiers: 1...3,
            "tier 0 has no later windows, and the others look the same there"
        ) { $0.all[.secondWindow] + $0.all[.thirdWindow] + $0.all[.laterReengagements] },
        TierEvidence(
            "lost", "3 or 4", "absent", "none", tiers: 2...3,
            "tiers 0 and 1 have two digits; lost ads never name the source"
        ) { $0.long { $0[.losses] } },
        TierEvidence(
            "lost", "2", "absent", "none", tiers: 0...3,
            "every tier may have two digits, and lost ads show nothing else"
        ) { $0.short[.losses] },
    ]
}

extension Counts {
    /// First postbacks of installs and re-engagements with some conversions.
    fileprivate func firsts(_ isCounted: (Conversion) -> Bool) -> Int64 {
        Conversion.allCases.reduce(0) {
            isCounted($1) ? $0 + self[.conversion($1)] + self[.reengagementConversion($1)] : $0
        }
    }
}

extension Conversion {
    /// Whether it is a value from 0 to 63.
    var isFine: Bool {
        if case .fine = self { true } else { false }
    }

    /// Whether it is `low`, `medium` or `high`.
    var isCoarse: Bool {
        if case .coarse = self { true } else { false }
    }

    /// Whether it is neither: absent, null or invalid.
    var isNone: Bool {
        !isFine && !isCoarse
    }
}
