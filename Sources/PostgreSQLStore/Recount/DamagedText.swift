import Attribution
import AttributionStore

/// A text of `skan.value` that is not the one its code was given for.
struct DamagedText {
    let code: Int64

    /// How many postbacks are asked for the text.
    private static let witnesses: Int64 = 64

    /// Has no node confirm the code any more; one may have done so and not have committed.
    func retire(_ connection: PostgreSQLConnection) throws {
        try connection.transaction { connection in
            try BatchID().insert(connection)
            try connection.run("UPDATE skan.value SET kind = 'unused' WHERE code = $1::int4", [.integer(code)])
        }
    }

    /// Removes the text, which no postback may have.
    func remove(_ connection: PostgreSQLConnection) throws {
        try connection.transaction { connection in
            try BatchID().insert(connection)
            try connection.run("DELETE FROM skan.value WHERE code = $1::int4", [.integer(code)])
        }
    }

    /// Takes the text from the bytes of postbacks that have its code, if they say it.
    ///
    /// A text that the checksum confirms is the one; if it confirms none, the checksum is damaged, and all postbacks that
    /// were asked have to agree. Where no bytes are left, nothing is changed.
    ///
    /// - Parameters:
    ///   - connection: Of a role that may change the table.
    ///   - judge: Verifies bodies, which names the keys.
    /// - Returns: Whether there are such postbacks.
    /// - Throws: ``PostgreSQLFault``.
    func restore(_ connection: PostgreSQLConnection, _ judge: ([[UInt8]]) -> [Judgement]) throws -> Bool {
        try connection.transaction { connection in
            try BatchID().insert(connection)
            var isUsed = false
            for (kind, column) in zip(CodedValue.Kind.allCases, PostbackFacts.codedColumns) {
                let rows = try connection.run(
                    "SELECT \(RecordedPostback.columns) \(RecordedPostback.tables) WHERE p.\(column) = $1::int4 LIMIT $2",
                    [.integer(code), .integer(Self.witnesses)])
                isUsed = isUsed || rows.count > 0
                let recorded = try (0..<rows.count).map { try RecordedPostback(rows, $0) }
                let texts = Self.texts(kind, of: recorded.filter { $0.body != nil }, judge)
                if let text = try confirmed(texts, kind, connection) ?? (texts.count == 1 ? texts.first : nil) {
                    try connection.run(
                        """
                        UPDATE skan.value SET kind = $2, value = $3, checksum = skan.value_checksum(code, $2, $3)
                        WHERE code = $1::int4
                        """, [.integer(code), .text(kind.rawValue), .text(text)])
                    return true
                }
            }
            return isUsed
        }
    }

    /// Waits until every transaction that inserts postbacks now has ended; not for long, because others wait behind.
    static func hasSeenRecordingEnd(_ connection: PostgreSQLConnection) throws -> Bool {
        do {
            try connection.transaction { connection in
                try connection.run("SELECT set_config('lock_timeout', '2s', true)")
                try connection.run("LOCK TABLE skan.postback IN SHARE MODE")
            }
            return true
        } catch let fault as PostgreSQLFault where fault.sqlState == "55P03" {
            // The next repair tries again.
            return false
        }
    }

    /// What verified postbacks say of a kind, each text once; not that there is none, for which there is no code.
    private static func texts(
        _ kind: CodedValue.Kind, of recorded: [RecordedPostback], _ judge: ([[UInt8]]) -> [Judgement]
    ) -> Set<String> {
        var texts: Set<String> = []
        for (recorded, judgement) in zip(recorded, judge(recorded.map { $0.body ?? [] })) {
            guard case .verified(let verified) = judgement, verified.provenance == recorded.traffic.provenance else {
                continue
            }
            let facts = PostbackFacts(
                verified.postback, traffic: recorded.traffic, recipient: recorded.recipient,
                receivedAtMilliseconds: recorded.receivedAtMilliseconds,
                key: PostbackDigests.key(of: verified.postback, provenance: verified.provenance))
            let values = facts.values(keyName: verified.keyName)
            texts.formUnion(values.lazy.filter { $0.kind == kind && !$0.text.isEmpty }.map(\.text))
        }
        return texts
    }

    /// The text for which the checksum was made.
    private func confirmed(
        _ texts: Set<String>, _ kind: CodedValue.Kind, _ connection: PostgreSQLConnection
    ) throws -> String? {
        let found = try connection.run(
            """
            SELECT text FROM unnest($2::text[]) AS candidate (text)
            WHERE skan.value_checksum($1::int4, $3, text) = (SELECT checksum FROM skan.value WHERE code = $1::int4)
            """, [.integer(code), .texts(Array(texts)), .text(kind.rawValue)])
        return try found.count == 0 ? nil : found.text(0, 0)
    }
}
