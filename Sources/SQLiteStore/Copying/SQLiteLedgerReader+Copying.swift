import Attribution
package import AttributionStore
import Foundation
import GRDB

extension SQLiteLedgerReader: LedgerCopySource {
    /// Deliveries in the quarantine; see ``LedgerCopySource/quarantinePage(after:limit:)``.
    package func quarantinePage(after last: Int64, limit: Int) async throws -> QuarantinePage {
        try await read { try QuarantinePage($0, after: last, limit: limit) }
    }

    /// The counts of deliveries; see ``LedgerCopySource/deliverySnapshot(of:)``.
    package func deliverySnapshot(of ids: [Int64]) async throws -> DeliverySnapshot {
        try await read { db in
            var fates: [Int64: DeliverySnapshot.Fate] = [:]
            for id in ids {
                let page = try QuarantinePage(db, after: id - 1, limit: 1)
                if let delivery = page.deliveries.first, delivery.id == id {
                    fates[id] = .kept(reason: delivery.reason, isConflict: delivery.kind == .conflict)
                } else if !page.unreadable.contains(id) {
                    fates[id] = .gone
                }
            }
            // Of a damaged table, the pages tell what is there.
            let newest = try Database.nilIfDamaged {
                try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) FROM quarantine")
            }
            return DeliverySnapshot(
                try DeliveryTable(db), newest: newest.flatMap(\.self) ?? .max, fates: fates)
        }
    }

    /// Other recipients' copies; see ``LedgerCopySource/recipientCopies(after:limit:)``.
    package func recipientCopies(after last: RecipientCopy?, limit: Int) async throws -> RecipientCopyPage {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, recipient, received_at FROM recipient_copy WHERE (id, recipient) > (?, ?)
                    ORDER BY id, recipient LIMIT ?
                    """, arguments: [last?.id ?? .min, last?.recipient.rawValue ?? "", limit])
            return RecipientCopyPage(try rows.map { try RecipientCopy($0) }, limit: limit)
        }
    }

    /// The ids known; see ``LedgerCopySource/knownIDs(after:limit:)``.
    package func knownIDs(after last: KnownID?, limit: Int) async throws -> [KnownID] {
        try await read { db in
            // A store that no owner has opened since has no table of them.
            guard try db.tableExists("known_id") else {
                return []
            }
            return try Row.fetchAll(
                db, sql: "SELECT digest FROM known_id WHERE digest > ? ORDER BY digest LIMIT ?",
                arguments: [last.map { Data($0.digest.bytes) } ?? Data(), limit]
            ).compactMap { try $0.digest(at: 0).map { KnownID(digest: $0) } }
        }
    }

    /// Which of some ids are known; see ``LedgerCopySource/knownIDs(among:)``.
    package func knownIDs(among ids: [KnownID]) async throws -> Set<KnownID> {
        try await read { db in
            guard try db.tableExists("known_id") else {
                return []
            }
            return Set(try ids.filter { try $0.isClaimed(in: db) })
        }
    }

    /// The files that were imported; see ``LedgerCopySource/importedFiles()``.
    package func importedFiles() async throws -> [ImportedFile] {
        try await read { try $0.tableExists("imported_file") ? ImportedFile.all($0, upTo: .max) : [] }
    }

    /// The networks that are ours; see ``LedgerCopySource/ownNetworks()``.
    package func ownNetworks() async throws -> [String] {
        try await read { try String.fetchAll($0, sql: "SELECT ad_network_id FROM own_network ORDER BY ad_network_id") }
    }
}

extension RecipientCopy {
    /// Reads a row of `id, recipient, received_at`.
    init(_ row: Row) throws {
        self.init(id: try row.integer(0), recipient: try row.word(1), receivedAtMilliseconds: try row.integer(2))
    }
}

extension QuarantinePage {
    /// Reads a page; what the table or its index of classes knows is there, and what neither knows is gone.
    fileprivate init(_ db: Database, after last: Int64, limit: Int) throws {
        let query = QuarantineQuery(after: last, limit: limit)
        let rows = try Database.nilIfDamaged { try query.rows(db) }
        let indexed = try Database.nilIfDamaged { try Self.indexedIDs(db, after: last, limit: limit) }
        guard rows != nil || indexed != nil else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        let found = try (rows ?? []).map { try $0.integer(0) }
        let ids = Set(found + (indexed ?? [])).filter { $0 > last && $0 < .max }.sorted().prefix(limit)
        var deliveries: [Int64: QuarantinedDelivery] = [:]
        if let rows {
            for delivery in rows.compactMap({ try? QuarantinedDelivery($0) }) {
                deliveries[delivery.id] = delivery
            }
        } else {
            for id in ids {
                deliveries[id] = try Database.nilIfDamaged {
                    try QuarantineQuery(id: id, limit: 1).deliveries(db).first
                }.flatMap(\.self)
            }
        }
        self.init(
            after: last, limit: limit, deliveries: ids.compactMap { deliveries[$0] },
            unreadable: ids.filter { deliveries[$0] == nil })
    }

    /// The next ids that the index knows; it is read class by class, in the order of the ids.
    private static func indexedIDs(_ db: Database, after last: Int64, limit: Int) throws -> [Int64] {
        try QuarantineClass.allCases.flatMap { kind in
            try Int64.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM quarantine INDEXED BY quarantine_class WHERE class = ? AND id > ?
                        ORDER BY id LIMIT ?
                        """), arguments: [kind.rawValue, last, limit])
        }
    }
}
