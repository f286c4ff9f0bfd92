package import Attribution
package import AttributionStore
import Foundation
import GRDB

extension SQLiteLedgerWriter: LedgerImporting {
    /// Records deliveries of the past, as ``AttributionStore/LedgerImporting`` has it.
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

    /// How far files were read, as ``AttributionStore/LedgerImporting`` has it.
    package func importedFiles(upTo bytes: Int64) throws -> [ImportedFile] {
        try database.write { try ImportedFile.all($0, upTo: bytes) }
    }

    /// Claims ids, as ``AttributionStore/LedgerImporting`` has it.
    package func claim(_ ids: [KnownID]) throws -> Int {
        let count = try database.write { db in
            try ids.count { try $0.claim(in: db) }
        } didCommit: {
            memory.didClaim()
        }
        return count
    }
}
