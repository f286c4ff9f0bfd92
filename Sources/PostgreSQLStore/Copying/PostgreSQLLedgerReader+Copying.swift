import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader: LedgerCopySource {
    /// Deliveries in the quarantine; see ``AttributionStore/LedgerCopySource/quarantinePage(after:limit:)``.
    ///
    /// A server does not say which row of a page it cannot read: it fails, and nothing is taken for gone.
    package func quarantinePage(after last: Int64, limit: Int) async throws -> QuarantinePage {
        try await read { snapshot in
            QuarantinePage(
                after: last, limit: limit,
                deliveries: try QuarantineQuery(after: last, limit: limit).deliveries(snapshot.connection))
        }
    }

    /// The counts of deliveries; see ``AttributionStore/LedgerCopySource/deliverySnapshot(of:)``.
    package func deliverySnapshot(of ids: [Int64]) async throws -> DeliverySnapshot {
        try await read { snapshot in
            var fates: [Int64: DeliverySnapshot.Fate] = [:]
            for id in ids {
                fates[id] = .gone
            }
            let kept = try snapshot.connection.run(
                "SELECT id, reason, class FROM skan.quarantine WHERE id = ANY ($1::int8[])", [.integers(ids)])
            for row in 0..<kept.count {
                let kind: QuarantineClass = try kept.word(row, 2)
                fates[try kept.integer(row, 0)] = .kept(reason: try kept.text(row, 1), isConflict: kind == .conflict)
            }
            let newest = try snapshot.connection.run("SELECT coalesce(max(id), 0)::int8 FROM skan.quarantine")
            return DeliverySnapshot(
                try DeliveryTable(snapshot.connection), newest: try newest.integer(0, 0), fates: fates)
        }
    }

    /// Other recipients' copies; see ``AttributionStore/LedgerCopySource/recipientCopies(after:limit:)``.
    package func recipientCopies(after last: RecipientCopy?, limit: Int) async throws -> RecipientCopyPage {
        try await read { snapshot in
            // In the order in which the key has recipients, which is not that of their names.
            let result = try snapshot.connection.run(
                """
                SELECT id, recipient::text, received_at FROM skan.recipient_copy
                WHERE (id, recipient) > ($1, $2::skan.recipient) ORDER BY id, recipient LIMIT $3
                """,
                [
                    .integer(last?.id ?? 0), .text((last?.recipient ?? .network).rawValue), .integer(Int64(limit)),
                ])
            let copies = try (0..<result.count).map { row in
                RecipientCopy(
                    id: try result.integer(row, 0), recipient: try result.word(row, 1),
                    receivedAtMilliseconds: try result.integer(row, 2))
            }
            return RecipientCopyPage(copies, limit: limit)
        }
    }

    /// The ids known; see ``AttributionStore/LedgerCopySource/knownIDs(after:limit:)``.
    package func knownIDs(after last: KnownID?, limit: Int) async throws -> [KnownID] {
        try await read { snapshot in
            let result = try snapshot.connection.run(
                "SELECT digest FROM skan.known_id WHERE digest > $1 ORDER BY digest LIMIT $2",
                [
                    .digest(last?.digest ?? [UInt8](repeating: 0, count: 16).withUnsafeBytes { Digest16($0) }),
                    .integer(Int64(limit)),
                ])
            return try (0..<result.count).map { KnownID(digest: try result.digest($0, 0)) }
        }
    }

    /// Which of some ids are known; see ``AttributionStore/LedgerCopySource/knownIDs(among:)``.
    package func knownIDs(among ids: [KnownID]) async throws -> Set<KnownID> {
        try await read { try KnownID.claimed(ids, $0.connection) }
    }

    /// The files that were imported; see ``AttributionStore/LedgerCopySource/importedFiles()``.
    package func importedFiles() async throws -> [ImportedFile] {
        try await read { try ImportedFile.all($0.connection, upTo: .max) }
    }

    /// The networks that are ours; see ``AttributionStore/LedgerCopySource/ownNetworks()``.
    package func ownNetworks() async throws -> [String] {
        try await read { snapshot in
            let result = try snapshot.connection.run(
                "SELECT ad_network_id FROM skan.own_network ORDER BY ad_network_id")
            return try (0..<result.count).map { try result.text($0, 0) }
        }
    }
}

extension DeliveryTable {
    /// Reads the counts of a store, or those that were copied into it from another.
    init(_ connection: PostgreSQLConnection, copiedFrom store: String? = nil) throws {
        self.init()
        let kinds = try connection.run(
            """
            SELECT quarter, status, traffic, reason, recipient::text, sum(count)::int8, sum(kept)::int8
            FROM skan.\(store == nil ? "delivery" : "copy_delivery WHERE store = $1")
            GROUP BY quarter, status, traffic, reason, recipient
            """, store.map { [.text($0)] } ?? [])
        for row in 0..<kinds.count {
            let kind = DeliveryCounts.Kind(
                status: try kinds.word(row, 1), traffic: Traffic(rawValue: try kinds.text(row, 2)),
                reason: PostbackRejection.Code(rawValue: try kinds.text(row, 3)), recipient: try kinds.word(row, 4))
            deliveries[Row(quarter: try kinds.integer(row, 0), kind: kind)] = .init(
                count: try kinds.integer(row, 5), kept: try kinds.integer(row, 6))
        }
        let delays = try connection.run(
            """
            SELECT quarter, delay, sum(count)::int8
            FROM skan.\(store == nil ? "repeat_delay" : "copy_repeat WHERE store = $1") GROUP BY quarter, delay
            """, store.map { [.text($0)] } ?? [])
        for row in 0..<delays.count {
            guard let delay = RepeatDelay(rawValue: Int(try delays.integer(row, 1))) else {
                throw DamagedValue(column: 1)
            }
            repeats[RepeatRow(quarter: try delays.integer(row, 0), delay: delay)] = try delays.integer(row, 2)
        }
    }
}
