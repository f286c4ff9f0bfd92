import Attribution

/// The conditions of a question, by code.
struct ScanConditions {
    /// For each column with conditions, whether each code is allowed.
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

    /// Whether no postback of a block can match, because all have one value that is not allowed.
    func excludes(_ stored: StoredColumn) -> Bool {
        guard stored.lowest == stored.highest,
            let codes = allowed.first(where: { $0.column == stored.column })?.codes
        else {
            return false
        }
        return Int(exactly: stored.lowest).map { codes.indices.contains($0) && codes[$0] == 0 } ?? false
    }

    private mutating func note(_ values: Set<String>, _ dimension: ReportDimension) {
        unseen += values.filter { !$0.isEmpty }.sorted().map { .init(dimension: dimension, value: $0) }
    }
}
