import AttributionStore

extension ColumnCodes {
    /// Reads the codes of some columns.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - columns: The columns to read; the others stay empty.
    ///   - isCounting: Whether traits have to be those that this release knows.
    /// - Throws: ``PostgreSQLFault``.
    init(_ connection: PostgreSQLConnection, _ columns: [LedgerColumn], isCounting: Bool = true) throws {
        self.init()
        let numbers = PostgreSQLParameter.smallIntegers(columns.map { Int32($0.rawValue) })
        let found = try connection.run(
            """
            SELECT column_number, code, value, checksum FROM skan.column_value
            WHERE column_number = ANY ($1::int4[]) ORDER BY column_number, code
            """, [numbers])
        for row in 0..<found.count {
            if let column = LedgerColumn(rawValue: Int(try found.integer(row, 0))) {
                note(
                    try found.text(row, 2), code: try found.integer(row, 1), column,
                    checksum: try found.integer(row, 3))
            }
        }
        let highest = try connection.run(
            """
            SELECT column_number, (
                SELECT max(highest) FROM skan.block_column AS b WHERE b.column_number = wanted.column_number
            ) FROM unnest($1::int4[]) AS wanted (column_number)
            """, [numbers])
        for row in 0..<highest.count {
            if let column = LedgerColumn(rawValue: Int(try highest.integer(row, 0))) {
                didRead(column, highestUsed: try highest.optional(row, 1) ?? 0, isCounting: isCounting)
            }
        }
    }

    /// Gives codes to every text that facts may have in some columns, so that deriving many postbacks adds none.
    mutating func noteAll(_ connection: PostgreSQLConnection, _ columns: [LedgerColumn]) throws {
        var columnByKind: [String: LedgerColumn] = [:]
        for column in columns {
            if let kind = column.kind {
                columnByKind[kind.rawValue] = column
            }
        }
        let found = try connection.run(
            """
            SELECT kind, value FROM skan.value AS v WHERE kind = ANY ($1::text[]) AND \(CodedValue.isIntactSQL)
            ORDER BY code
            """,
            [.texts(Array(columnByKind.keys))])
        for row in 0..<found.count {
            let text = try found.text(row, 1)
            // Traits that only a later release knows are counted by none of this one's codes.
            if let column = columnByKind[try found.text(row, 0)], column != .traits || PostbackTraits(text) != nil {
                _ = code(text, column)
            }
        }
    }
}
