import Attribution

extension ScanPeriods {
    /// Adds the codes of a block's days of the install, which follow from its quarters and from the traits, which the
    /// keys have already.
    mutating func add<Key: FixedWidthInteger>(
        _ quarters: ColumnBlock,
        _ timings: [PostbackTiming?],
        _ traits: ScanLayout.Field,
        to keys: UnsafeMutablePointer<Key>,
        shift: Int,
        where selected: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        for index in 0..<count where selected[index] != 0 {
            let quarter = quarters[index]
            let timing = timings[traits.code(keys[index])]
            let key = quarter << 3 | (timing?.number ?? 0)
            let code =
                codesByKey[key]
                ?? note(LaunchDays(dimension, timing, quarter, calendar)?.period ?? LaunchDays.none, for: key)
            keys[index] |= Key(truncatingIfNeeded: code) << shift
        }
    }
}

/// The days on which an app can have been first launched, in the numbers of a calendar.
struct LaunchDays {
    private let first: Int64
    private let last: Int64

    /// The period of postbacks that are not about an install.
    static let none = Int64.min

    /// The days of a postback that arrived in a quarter hour, or the estimate, which is both the first and the last;
    /// nil for a re-engagement.
    init?(_ dimension: ReportDimension, _ timing: PostbackTiming?, _ quarter: Int64, _ calendar: LedgerCalendar) {
        guard let timing else {
            return nil
        }
        let estimate = timing.estimatedLaunch(arrivalQuarter: quarter)
        let quarters = dimension == .installDays ? timing.launch(arrivalQuarter: quarter) : estimate...estimate
        first = calendar.period(.day, quarters.lowerBound)
        last = calendar.period(.day, quarters.upperBound)
    }

    init?(period: Int64) {
        guard period != Self.none else {
            return nil
        }
        (first, last) = (period >> 16, (period >> 16) + period & 0xFFFF)
    }

    /// A number that orders days by the first one, then by the last; 65 days are at most 6,240 of whatever a calendar
    /// counts, quarter hours at the least.
    var period: Int64 {
        first << 16 | (last - first)
    }

    func label(_ calendar: LedgerCalendar) -> String {
        let day = calendar.label(.day, first)
        return first == last ? day : day + "/" + calendar.label(.day, last)
    }
}

extension PostbackTiming {
    /// A number from 1 on.
    fileprivate var number: Int64 {
        switch self {
        case .timer: 1
        case .firstWindow: 2
        case .secondWindow: 3
        case .thirdWindow: 4
        }
    }
}

extension ColumnCodes {
    /// When postbacks of each code of traits are sent, if a dimension of a question is of the install; nil for those of
    /// re-engagements.
    func timings(for question: LedgerQuestion) -> [PostbackTiming?] {
        guard question.dimensions.contains(where: \.isOfInstall) else {
            return []
        }
        return values(.traits).map { text in
            text.flatMap { PostbackTraits($0) }.flatMap { traits in
                traits.conversionType == .reengagement
                    ? nil : PostbackTiming(version: traits.version, sequenceIndex: traits.sequenceIndex)
            }
        }
    }
}
