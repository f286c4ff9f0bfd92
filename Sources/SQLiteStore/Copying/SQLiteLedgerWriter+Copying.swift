import Attribution
package import AttributionStore
import Foundation
import GRDB

extension SQLiteLedgerWriter: LedgerCopyTarget {
    /// Begins a copy, or resumes it; see ``LedgerCopyTarget/beginCopy(of:)``.
    package func beginCopy(of store: String) throws -> LedgerCopyProgress {
        try database.write { db in
            guard try String.fetchOne(db, sql: "SELECT store FROM owner") != store else {
                throw LedgerCopyError.same(path: path)
            }
            try db.execute(sql: CopySchema.tables)
            if var progress = try LedgerCopyProgress(db, of: store) {
                try progress.readRuns(db)
                return progress
            }
            let isEmpty = try Bool.fetchOne(
                db,
                sql: """
                    SELECT NOT EXISTS (SELECT 1 FROM postback) AND NOT EXISTS (SELECT 1 FROM delivery)
                        OR EXISTS (SELECT 1 FROM copy_source)
                    """)
            guard isEmpty == true else {
                throw LedgerCopyError.notEmpty(path: path)
            }
            let progress = LedgerCopyProgress(of: store)
            try progress.note(db, adding: [])
            return progress
        }
    }

    /// Takes postbacks over; see ``LedgerCopyTarget/copy(_:after:)``.
    package func copy(
        _ page: CopiedPage,
        after progress: LedgerCopyProgress
    ) throws -> (LedgerCopyProgress, [CopiedRun]) {
        try batch { db in
            // This process is the store's only owner, and so its only copy.
            let copies = try PreparedDelivery.firstCopies(page.postbacks.map(\.digests.key), db, memory)
            return try zip(page.postbacks, copies).map { postback, first in
                (postback, first, try first == nil && isClaimed(KnownID(postback.key), page, db))
            }
        } work: { batch, prepared in
            var next = progress
            let copied = try prepared.map { try batch.copy($0, first: $1, isClaimed: $2, from: progress.store) }
            let runs = next.advance(behind: page, copied)
            try next.note(batch.db, adding: runs)
            return (next, runs)
        }
    }

    /// Whether an id was claimed here by itself, and not at the source, which recorded its postback.
    private func isClaimed(_ id: @autoclosure () -> KnownID, _ page: CopiedPage, _ db: Database) throws -> Bool {
        guard memory.hasKnownIDs else {
            return false
        }
        let id = id()
        return try !page.knownIDs.contains(id) && id.isClaimed(in: db)
    }

    /// Makes a part of the quarantine what it is in the source; see ``LedgerCopyTarget/copyQuarantine(_:)``.
    package func copyQuarantine(_ page: CopiedQuarantine) throws -> Int64 {
        try batch { _ in
        } work: { batch, _ in
            try batch.copy(page)
        }
    }

    /// Takes over other recipients' copies; see ``LedgerCopyTarget/copyRecipients(_:)``.
    package func copyRecipients(_ copies: [RecipientCopy]) throws {
        try database.write { db in
            for copy in copies where try !copy.isForFirstRecipient(db) {
                try copy.write(db)
            }
        }
    }

    /// The copied deliveries that were judged again here; see ``LedgerCopyTarget/movedDeliveries(of:)``.
    package func movedDeliveries(of store: String) throws -> [Int64] {
        try database.write { try MovedDelivery.all($0, of: store).keys.sorted() }
    }

    /// Adds what the source's counts have grown by; see ``LedgerCopyTarget/copyDeliveries(_:of:)``.
    package func copyDeliveries(_ snapshot: DeliverySnapshot, of store: String) throws {
        try database.write { db in
            let growth = try snapshot.growth(try MovedDelivery.all(db, of: store)) {
                try DeliveryTable(db, copiedFrom: store)
            } apply: { decisions in
                for (id, decision) in decisions {
                    try decision.apply(to: id, db, in: store)
                }
            }
            for (row, tally) in growth.deliveries where tally.count != 0 || tally.kept != 0 {
                let values: StatementArguments = [
                    row.quarter, row.kind.status.rawValue, row.kind.traffic?.rawValue ?? "",
                    row.kind.reason?.rawValue ?? "", row.kind.recipient.rawValue, tally.count, tally.kept,
                ]
                try db.cachedStatement(sql: RecordingBatch.upsertDelivery).execute(arguments: values)
                try db.cachedStatement(sql: DeliveryTable.upsertCopied).execute(arguments: [store] + values)
            }
            for (row, count) in growth.repeats where count != 0 {
                let values: StatementArguments = [row.quarter, row.delay.rawValue, count]
                try db.cachedStatement(sql: RecordingBatch.upsertRepeat).execute(arguments: values)
                try db.cachedStatement(
                    sql: """
                        INSERT INTO copy_repeat VALUES (?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET count = count + excluded.count
                        """
                ).execute(arguments: [store] + values)
            }
        }
    }

    /// Claims ids; see ``LedgerCopyTarget/copyKnownIDs(_:)``.
    package func copyKnownIDs(_ ids: [KnownID]) throws {
        _ = try claim(ids)
    }

    /// Takes over how far files were imported; see ``LedgerCopyTarget/copyImportedFiles(_:)``.
    package func copyImportedFiles(_ files: [ImportedFile]) throws {
        try database.write { db in
            for file in files {
                try file.copy(into: db, at: now())
            }
        }
    }

    /// Takes the networks over; see ``LedgerCopyTarget/copyNetworks(_:)``.
    package func copyNetworks(_ networks: [String]) throws {
        try database.write { db in
            guard try String.fetchOne(db, sql: "SELECT ad_network_id FROM own_network") == nil else {
                return
            }
            for network in networks {
                try db.execute(sql: "INSERT OR IGNORE INTO own_network VALUES (?)", arguments: [network])
            }
        }
    }

    /// Never: bytes are kept for ever; see ``LedgerCopyTarget/hasDroppedBodies(recordedAt:)``.
    package func hasDroppedBodies(recordedAt recordedAtMilliseconds: Int64) -> Bool {
        false
    }
}

extension RecipientCopy {
    /// Whether it is for the recipient whose copy was recorded here; false where the row cannot be read.
    fileprivate func isForFirstRecipient(_ db: Database) throws -> Bool {
        try Database.nilIfDamaged {
            try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT recipient = ? FROM postback WHERE id = ?"),
                arguments: [recipient.rawValue, id])
        }.flatMap(\.self) ?? false
    }
}
