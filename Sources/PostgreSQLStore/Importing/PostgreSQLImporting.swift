package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter: LedgerImporting {
    /// Records deliveries of the past, as ``AttributionStore/LedgerImporting`` has it.
    package func record(_ deliveries: [Delivery], importing file: ImportedFile?) throws -> [ImportedDelivery] {
        let items = deliveries.map { PostgreSQLBatch.Item($0) }
        let (imported, notKept) = try withSession { session in
            let insertion = PostgreSQLBatch.insertion(items, session.networks)
            return try session.batch(insertion) { batch -> [ImportedDelivery] in
                batch.isImporting = true
                let recordings = try batch.record(items, insertion)
                if batch.recordedAt != nil {
                    try batch.connection.noteImported()
                }
                try file?.note(batch.connection)
                return recordings.enumerated().map { index, recording in
                    batch.passedOver.contains(index) ? .known : recording.map { .made($0) } ?? .notKept
                }
            }
        }
        for (kind, count) in notKept {
            node.onEvent(.notKept(kind, count: count))
        }
        return imported
    }

    /// How far files were read, as ``AttributionStore/LedgerImporting`` has it.
    package func importedFiles(upTo bytes: Int64) throws -> [ImportedFile] {
        try withRecordingConnection { try ImportedFile.all($0, upTo: bytes) }
    }

    /// Claims ids, as ``AttributionStore/LedgerImporting`` has it.
    package func claim(_ ids: [KnownID]) throws -> Int {
        try withRecordingConnection { connection in
            try connection.recordingTransaction { connection in
                Int(
                    try connection.run(
                        "INSERT INTO skan.known_id SELECT unnest($1::uuid[]) ORDER BY 1 ON CONFLICT DO NOTHING",
                        [.digests(ids.map(\.digest))]
                    ).changedCount)
            }
        }
    }
}

extension ImportedFile {
    /// Notes how far it was read, within a transaction.
    fileprivate func note(_ connection: PostgreSQLConnection) throws {
        try connection.run(
            """
            INSERT INTO skan.imported_file (digest, bytes, records) VALUES ($1, $2, $3)
            ON CONFLICT (digest) DO UPDATE SET records = excluded.records
            """, [.bytes(digest), .integer(bytes), .integer(records)])
    }

    /// The files of at most some size, the smallest first.
    static func all(_ connection: PostgreSQLConnection, upTo bytes: Int64) throws -> [ImportedFile] {
        let result = try connection.run(
            "SELECT digest, bytes, records FROM skan.imported_file WHERE bytes <= $1 ORDER BY bytes", [.integer(bytes)])
        return try (0..<result.count).map { row in
            ImportedFile(
                digest: try result.bytes(row, 0), bytes: try result.integer(row, 1), records: try result.integer(row, 2)
            )
        }
    }
}

extension KnownID {
    /// Which of some ids were claimed.
    static func claimed(_ ids: some Collection<KnownID>, _ connection: PostgreSQLConnection) throws -> Set<KnownID> {
        guard !ids.isEmpty else {
            return []
        }
        let found = try connection.run(
            "SELECT digest FROM skan.known_id WHERE digest = ANY ($1::uuid[])", [.digests(ids.map(\.digest))])
        return Set(try (0..<found.count).map { KnownID(digest: try found.digest($0, 0)) })
    }
}
