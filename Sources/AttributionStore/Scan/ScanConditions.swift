import Attribution

/// The conditions of a question, by code.
struct ScanConditions {
    /// For each column with conditions, whether each code is allowed; traffic, which always has one, is the first.
    private(set) var allowed: [(column: LedgerColumn, codes: [UInt8])] = []
    /// Values in the conditions that no postback has.
    private(set) var unseen: [LedgerAnswer.UnseenValue] = []

    init(_ question: LedgerQuestion, _ codes: ColumnCodes) {
        var byColumn: [LedgerColumn: [UInt8]] = [:]
        func restrict(_ column: LedgerColumn, _ isAllowed: (Int, String) -> Bool) {
            var table = byColumn[column] ?? Array(repeating: 1, count: codes.count(column))
            for (code, text) in codes.values(column).enumerated() {
                // The value for a damaged code does not matter: it is never looked up.
                table[code] &= text.map { isAllowed(code, $0) } ?? false ? 1 : 0
            }
            byColumn[column] = table
        }
        restrict(.traffic) { $1 == question.traffic.rawValue }
        for condition in question.conditions {
            guard let column = LedgerColumn(condition.dimension) else {
                let values = codes.values(.traits).map { text in
                    text.flatMap { PostbackTraits($0) }?.value(condition.dimension)
                }
                restrict(.traits) { code, _ in
                    values[code].map { condition.values.contains($0) != condition.isExcluded } ?? false
                }
                note(condition.values.subtracting(values.compactMap(\.self)), condition.dimension)
                continue
            }
            restrict(column) { condition.values.contains($1) != condition.isExcluded }
            note(condition.values.filter { codes.known($0, column) == nil }, condition.dimension)
        }
        allowed = byColumn.map { ($0.key, $0.value) }.sorted { $0.column.rawValue < $1.column.rawValue }
    }

    private mutating func note(_ values: Set<String>, _ dimension: ReportDimension) {
        unseen += values.filter { !$0.isEmpty }.sorted().map { .init(dimension: dimension, value: $0) }
    }
}

/// The codes of a time dimension, assigned as periods are first seen.
struct ScanPeriods {
    let dimension: ReportDimension
    let calendar: LedgerCalendar
    private var codes: [Int64: UInt32] = [:]
    /// The codes by quarter hour, for days of the install with the timing in the lowest bits.
    private(set) var codesByKey: [Int64: UInt32] = [:]
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
        codesByKey[quarter] ?? note(calendar.period(dimension, quarter), for: quarter)
    }

    /// Takes the period that belongs to a key, and returns its code.
    mutating func note(_ period: Int64, for key: Int64) -> UInt32 {
        let code = code(of: period)
        codesByKey[key] = code
        return code
    }

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
        periods.map {
            dimension.isOfInstall
                ? LaunchDays(period: $0)?.label(calendar) ?? "" : calendar.label(dimension, $0)
        }
    }
}
