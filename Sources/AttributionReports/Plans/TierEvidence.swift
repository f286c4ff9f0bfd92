import Attribution

/// What a postback shows of the data tier that Apple chose for it, which it does not name.
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
enum TierEvidence: CaseIterable {
    /// A first postback that names the app or website that showed the ad.
    case source
    /// A first postback with a fine value, and three or four digits.
    case fineLong
    /// A first postback with a fine value, and two digits.
    case fineShort
    /// A first postback with a coarse value, and two digits.
    case coarseShort
    /// A first postback with a coarse value, and three or four digits, which Apple does not send.
    case coarseLong
    /// A first postback without a value, and three or four digits.
    case noneLong
    /// A first postback without a value, and two digits.
    case noneShort
    /// A postback of a later window.
    case later
    /// A postback of an ad that lost, with three or four digits.
    case lostLong
    /// A postback of an ad that lost, with two digits.
    case lostShort

    /// Which postback it is, how many digits its source identifier has, its source and its conversion value.
    var fields: (postback: String, digits: String, source: String, value: String) {
        switch self {
        case .source: ("first", "any", "present", "any")
        case .fineLong: ("first", "3 or 4", "absent", "fine")
        case .fineShort: ("first", "2", "absent", "fine")
        case .coarseShort: ("first", "2", "absent", "coarse")
        case .coarseLong: ("first", "3 or 4", "absent", "coarse")
        case .noneLong: ("first", "3 or 4", "absent", "none")
        case .noneShort: ("first", "2", "absent", "none")
        case .later: ("later window", "any", "any", "any")
        case .lostLong: ("lost", "3 or 4", "absent", "none")
        case .lostShort: ("lost", "2", "absent", "none")
        }
    }

    /// The tiers that are possible, from all fields.
    var tiers: ClosedRange<Int64> {
        switch self {
        case .source: 3...3
        case .fineLong, .fineShort, .coarseLong, .noneLong: 2...2
        case .coarseShort: 1...1
        case .noneShort: 0...2
        case .later: 1...3
        case .lostLong: 2...3
        case .lostShort: 0...3
        }
    }

    /// The tiers that are possible from the fields that Apple signs: not from the conversion value.
    var signedTiers: ClosedRange<Int64> {
        switch self {
        case .fineShort, .coarseShort, .noneShort: 0...2
        default: tiers
        }
    }

    /// Why these tiers are possible.
    var reason: String {
        switch self {
        case .source: "only tier 3 names the source"
        case .fineLong: "tier 3 would name the source; tiers 0 and 1 have two digits"
        case .fineShort: "tier 3 would name the source; tiers 0 and 1 have no fine value"
        case .coarseShort: "only tier 1 has a coarse value in a first postback"
        case .coarseLong: "tiers 0 and 1 have two digits, so the coarse value, which no one signs, was changed"
        case .noneLong: "tier 3 would name the source; tiers 0 and 1 have two digits"
        case .noneShort: "tier 3 would name the source; a value may be withheld, or the app set none"
        case .later: "tier 0 has no later windows, and the others look the same there"
        case .lostLong: "tiers 0 and 1 have two digits; lost ads never name the source"
        case .lostShort: "every tier may have two digits, and lost ads show nothing else"
        }
    }

    /// How many postbacks show it.
    ///
    /// - Parameters:
    ///   - all: Postbacks of versions with tiers.
    ///   - sourceless: Those of them without a source.
    ///   - short: Those of these with two digits.
    /// - Returns: Their number.
    func count(_ all: Counts, _ sourceless: Counts, _ short: Counts) -> Int64 {
        switch self {
        case .source:
            all[.installs] + all[.reengagements] + all[.losses]
                - sourceless[.installs] - sourceless[.reengagements] - sourceless[.losses]
        case .fineLong: sourceless.firsts(\.isFine) - short.firsts(\.isFine)
        case .fineShort: short.firsts(\.isFine)
        case .coarseShort: short.firsts(\.isCoarse)
        case .coarseLong: sourceless.firsts(\.isCoarse) - short.firsts(\.isCoarse)
        case .noneLong: sourceless.firsts(\.isNone) - short.firsts(\.isNone)
        case .noneShort: short.firsts(\.isNone)
        case .later: all[.secondWindow] + all[.thirdWindow] + all[.laterReengagements]
        case .lostLong: sourceless[.losses] - short[.losses]
        case .lostShort: short[.losses]
        }
    }
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
