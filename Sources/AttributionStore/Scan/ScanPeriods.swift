import Attribution

/// The codes of a time dimension, assigned as periods are first seen.
struct ScanPeriods {
    let dimension: ReportDimension
    private let calendar: LedgerCalendar
    private var codes: [Int64: UInt32] = [:]
    private var codesByQuarter: [Int64: UInt32] = [:]
    /// The periods by code.
    private(set) var periods: [Int64] = []
    /// Codes by offset from a block's lowest quarter hour; ``unknown`` until one is seen.
    private var local: [UInt32] = []

    private static let unknown = UInt32.max
    /// The most quarter hours a block may span to use ``local``; most blocks span a few hours.
    private static let localSpan: UInt64 = 65_536

    init(_ dimension: ReportDimension, _ calendar: LedgerCalendar) {
        self.dimension = dimension
        self.calendar = calendar
    }

    /// Adds the codes of a block's quarters to the keys of its selected rows.
    mutating func add<Key: FixedWidthInteger>(
        _ quarters: ColumnBlock,
        to keys: UnsafeMutablePointer<Key>,
        shift: Int,
        where selected: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        let span = UInt64(bitPattern: quarters.highest &- quarters.lowest)
        guard quarters.width <= 2, span < Self.localSpan else {
            for index in 0..<count where selected[index] != 0 {
                keys[index] |= Key(truncatingIfNeeded: code(quarters[index])) << shift
            }
            return
        }
        local.removeAll(keepingCapacity: true)
        local.append(contentsOf: repeatElement(Self.unknown, count: Int(span) + 1))
        for index in 0..<count where selected[index] != 0 {
            let quarter = quarters[index]
            let offset = Int(quarter &- quarters.lowest)
            if local[offset] == Self.unknown {
                local[offset] = code(quarter)
            }
            keys[index] |= Key(truncatingIfNeeded: local[offset]) << shift
        }
    }

    private mutating func code(_ quarter: Int64) -> UInt32 {
        if let code = codesByQuarter[quarter] {
            return code
        }
        let code = code(of: calendar.period(dimension, quarter))
        codesByQuarter[quarter] = code
        return code
    }

    /// The code of a period.
    mutating func code(of period: Int64) -> UInt32 {
        let code = codes[period] ?? UInt32(periods.count)
        if code == periods.count {
            codes[period] = code
            periods.append(period)
        }
        return code
    }

    /// The texts by code.
    var labels: [String] {
        periods.map { calendar.label(dimension, $0) }
    }
}
