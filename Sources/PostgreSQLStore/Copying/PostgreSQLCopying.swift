import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader: LedgerCopySource {
    /// Hands out a table page by page; see ``AttributionStore/LedgerCopySource/readRows(of:_:)``.
    package func readRows(
        of table: CopiedTable, _ use: @escaping @Sendable (CopiedPage, _ isFirst: Bool) throws -> Void
    ) async throws {
        try await read { snapshot in
            // Ends with the transaction.
            try snapshot.connection.run("DECLARE copied NO SCROLL CURSOR FOR \(table.selectSQL)")
            var isFirst = true
            while case let page = try snapshot.connection.run("FETCH 4096 FROM copied"), page.count > 0 {
                try use(CopiedPage(table, try (0..<page.count).map { try table.values(page, $0) }), isFirst)
                isFirst = false
            }
        }
    }
}

extension CopiedTable {
    fileprivate var selectSQL: String {
        let values = columns.map { column in
            switch column.kind {
            case .integer, .text, .bytes: "t.\(column.name)"
            case .count: "sum(t.\(column.name))::int8"
            case .recipient: "t.\(column.name)::text"
            case .digest: "coalesce(uuid_send(t.\(column.name)), '')"
            case .postback: "coalesce(uuid_send(k.key), '')"
            }
        }
        let keys = columns.first { $0.kind == .postback }.map {
            " LEFT JOIN skan.postback_key AS k ON k.id = t.\($0.name)"
        }
        let isSummed = columns.contains { $0.kind == .count }
        let grouped = columns.filter { $0.kind != .count }.map { "t.\($0.name)" }.joined(separator: ", ")
        return "SELECT \(values.joined(separator: ", ")) FROM skan.\(name) AS t\(keys ?? "")"
            + (isSummed ? " GROUP BY \(grouped)" : "") + (hasID ? " ORDER BY t.id" : "")
    }

    func values(_ result: PostgreSQLResult, _ row: Int) throws -> [CopiedValue] {
        try columns.enumerated().map { index, column in
            switch column.kind {
            case .integer, .count: .integer(try result.integer(row, index))
            case .text, .recipient: .text(try result.text(row, index))
            case .bytes, .digest, .postback: .bytes(try result.bytes(row, index))
            }
        }
    }

    /// The names of its columns.
    var names: String {
        columns.map(\.name).joined(separator: ", ")
    }

    /// The types of ``parameters(_:)``.
    var arrays: String {
        let types = columns.map { column in
            switch column.kind {
            case .integer, .count, .postback: "int8[]"
            case .text, .recipient: "text[]"
            case .bytes, .digest: "bytea[]"
            }
        }
        return types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
    }

    /// An array for each column.
    func parameters(_ rows: [[CopiedValue]]) -> [PostgreSQLParameter] {
        columns.enumerated().map { index, column in
            switch column.kind {
            case .integer, .count, .postback: .integers(rows.map { $0[index].number })
            case .text, .recipient: .texts(rows.map { $0[index].string })
            case .bytes, .digest: .blobs(rows.map { $0[index].data })
            }
        }
    }

    /// Inserts rows that are not there, within a transaction.
    func insert(_ rows: [[CopiedValue]], _ connection: PostgreSQLConnection) throws {
        let values = columns.map { column in
            switch column.kind {
            case .integer, .count, .text, .bytes: column.name
            case .recipient: "\(column.name)::skan.recipient"
            case .postback: "nullif(\(column.name), 0)"
            case .digest: "CASE WHEN \(column.name) <> '' THEN encode(\(column.name), 'hex')::uuid END"
            }
        }
        // The server takes at most 1 GiB in one value, which is as much as a quarantine has.
        for start in stride(from: 0, to: rows.count, by: 1_024) {
            try connection.run(
                """
                INSERT INTO skan.\(name) (\(names)) SELECT \(values.joined(separator: ", "))
                FROM unnest(\(arrays)) WITH ORDINALITY AS copied (\(names), position)
                ORDER BY position ON CONFLICT DO NOTHING
                """, parameters(Array(rows[start..<min(start + 1_024, rows.count)])))
        }
    }
}
