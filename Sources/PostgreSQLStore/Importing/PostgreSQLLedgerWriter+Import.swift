package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// Records deliveries of the past in one transaction, together with how far their file was read.
    ///
    /// A delivery that is in the store, received by the same recipient at the same moment, changes nothing. Everything
    /// else is as with ``record(_:)``.
    ///
    /// - Parameters:
    ///   - deliveries: Judged deliveries in the order of their file.
    ///   - file: How far the file was read with them; nil where that is not kept.
    /// - Returns: What became of each, in the same order, after the commit.
    /// - Throws: ``AttributionStore/StoreError``; then nothing is noted of the file.
    package func record(_ deliveries: [Delivery], importing file: ImportedFile?) throws -> [ImportedDelivery] {
        let items = deliveries.map { PostgreSQLBatch.Item(delivery: $0) }
        let (imported, notKept) = try withSession { session in
            let insertion = PostgreSQLBatch.insertion(items, session.networks)
            return try session.batch(insertion) { batch -> [ImportedDelivery] in
                batch.isImporting = true
                let recordings = try batch.record(items, insertion)
                try file?.note(batch.connection)
                return recordings.enumerated().map { index, recording in
                    batch.passedOver.contains(index) ? .known : recording.map { .made($0) } ?? .notKept
                }
            }
        }
        for (kind, count) in notKept {
            onEvent(.notKept(kind, count: count))
        }
        return imported
    }

    /// How far files of at most some size were read, the smallest first.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func importedFiles(upTo bytes: Int64) throws -> [ImportedFile] {
        try withRecordingConnection { connection in
            let result = try connection.run(
                "SELECT digest, bytes, records FROM skan.imported_file WHERE bytes <= $1 ORDER BY bytes",
                [.integer(bytes)])
            return try (0..<result.count).map { row in
                ImportedFile(
                    digest: try result.bytes(row, 0), bytes: try result.integer(row, 1),
                    records: try result.integer(row, 2))
            }
        }
    }

    /// Claims the ids of postbacks that were counted elsewhere, in one transaction.
    ///
    /// - Parameter ids: The ids.
    /// - Returns: How many of them were not claimed before.
    /// - Throws: ``AttributionStore/StoreError``; then none was.
    package func claim(_ ids: [KnownID]) throws -> Int {
        try withRecordingConnection { connection in
            try connection.transaction { connection in
                try BatchID().insert(connection)
                return Int(
                    try connection.run(
                        "INSERT INTO skan.known_id SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING",
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
            ON CONFLICT (digest) DO UPDATE SET records = excluded.records, imported_at = now()
            """, [.bytes(digest), .integer(bytes), .integer(records)])
    }
}
