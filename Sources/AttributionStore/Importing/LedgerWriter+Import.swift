package import Attribution
import Foundation
import GRDB

extension LedgerWriter {
    /// Records deliveries of the past in one transaction, together with how far their file was read.
    ///
    /// A delivery that is in the store, received by the same recipient at the same moment, changes nothing. Everything
    /// else is as with ``record(_:)``.
    ///
    /// - Parameters:
    ///   - deliveries: Judged deliveries in the order of their file.
    ///   - file: How far the file was read with them; nil where that is not kept.
    /// - Returns: What became of each, in the same order, after the commit.
    /// - Throws: ``StoreError``; then nothing is noted of the file.
    package func record(_ deliveries: [Delivery], importing file: ImportedFile?) throws -> [ImportedDelivery] {
        do {
            return try batch { db in
                try PreparedDelivery.prepare(deliveries, db, memory)
            } work: { batch, prepared in
                let imported = try prepared.map { prepared in
                    if batch.isRecorded(prepared) {
                        return ImportedDelivery.known
                    }
                    return try batch.record(prepared).map { .made($0) } ?? .notKept
                }
                try file?.note(in: batch.db, at: batch.now)
                return imported
            }
        } catch StoreError.failed(_, .damaged) {
            // As with what is received: damage stops those alone who meet it. The file is noted after its last part.
            guard deliveries.count > 1 else {
                return deliveries.map { _ in .notKept }
            }
            let half = deliveries.count / 2
            return try record(Array(deliveries[..<half]), importing: nil)
                + record(Array(deliveries[half...]), importing: file)
        }
    }

    /// How far files of at most some size were read, the smallest first.
    ///
    /// - Throws: ``StoreError``.
    package func importedFiles(upTo bytes: Int64) throws -> [ImportedFile] {
        try database.write { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT digest, bytes, records FROM imported_file WHERE bytes <= ? ORDER BY bytes",
                arguments: [bytes])
            return rows.compactMap { row in
                guard let digest = try? row.bytes(at: 0), let bytes = try? row.integer(1),
                    let records = try? row.integer(2)
                else {
                    return nil
                }
                return ImportedFile(digest: digest, bytes: bytes, records: records)
            }
        }
    }

    /// Claims the ids of postbacks that were counted elsewhere, in one transaction.
    ///
    /// - Parameter ids: The ids.
    /// - Returns: How many of them were not claimed before.
    /// - Throws: ``StoreError``; then none was.
    package func claim(_ ids: [KnownID]) throws -> Int {
        let count = try database.write { db in
            try ids.count { try $0.claim(in: db) }
        } didCommit: {
            memory.didClaim()
        }
        return count
    }
}
