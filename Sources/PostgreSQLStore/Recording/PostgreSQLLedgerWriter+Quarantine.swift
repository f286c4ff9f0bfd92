package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// Deliveries of the quarantine judged in one transaction.
    private static let atOnce = 256

    /// Judges deliveries again; see ``AttributionStore/LedgerWriting/requeue(_:judge:)``.
    ///
    /// Each is locked by the node that judges it, and others pass it by.
    package func requeue(_ query: QuarantineQuery, judge: ([[UInt8]]) -> [Judgement]) throws -> Requeued {
        var result = Requeued()
        var page = query
        while result.judged < Int64(query.limit) {
            page.limit = min(Self.atOnce, query.limit - Int(result.judged))
            guard let (requeued, last) = try requeuePage(page, judge) else {
                break
            }
            result.add(requeued)
            page.after = last
        }
        return result
    }

    private func requeuePage(
        _ page: QuarantineQuery,
        _ judge: ([[UInt8]]) -> [Judgement]
    ) throws -> (Requeued, last: Int64)? {
        try withSession { session -> (Requeued, last: Int64)? in
            let networks = session.networks
            return try session.batch(PostbackInsertion(copies: [])) { batch -> (Requeued, last: Int64)? in
                let found = try page.deliveries(batch.connection, isLocking: true)
                guard let last = found.last?.id else {
                    return nil
                }
                let deliveries = found.filter { $0.kind != .conflict }
                let items = zip(deliveries, judge(deliveries.map(\.body))).map { PostgreSQLBatch.Item($0, $1) }
                _ = try batch.record(items, PostgreSQLBatch.insertion(items, networks), isLearning: true)
                return (batch.requeued, last)
            }.result
        }
    }

    /// Deletes deliveries; see ``AttributionStore/LedgerWriting/prune(_:)``.
    package func prune(_ query: QuarantineQuery) throws -> Int64 {
        var deleted: Int64 = 0
        var page = query
        while deleted < Int64(query.limit) {
            page.limit = min(Self.atOnce, query.limit - Int(deleted))
            let count = try withRecordingConnection { connection in
                try connection.transaction { connection in
                    try BatchID().insert(connection)
                    let found = try page.deliveries(connection, isLocking: true)
                    var sums = DeliverySums()
                    for delivery in found {
                        sums.change(delivery.kind, rows: -1, bytes: -Int64(delivery.body.count))
                    }
                    try connection.run(
                        "DELETE FROM skan.quarantine WHERE id = ANY ($1::int8[])", [.integers(found.map(\.id))])
                    try sums.write(connection)
                    return Int64(found.count)
                }
            }
            guard count > 0 else {
                break
            }
            deleted += count
        }
        return deleted
    }
}

extension PostgreSQLBatch.Item {
    /// A delivery of the quarantine, judged again.
    fileprivate init(_ origin: QuarantinedDelivery, _ judgement: Judgement) {
        self.init(
            delivery: Delivery(
                judgement: judgement, recipient: origin.recipient,
                receivedAtMilliseconds: origin.receivedAtMilliseconds,
                client: origin.client.isEmpty ? nil : origin.client),
            origin: origin)
    }
}

extension Requeued {
    fileprivate mutating func add(_ other: Self) {
        judged += other.judged
        recorded += other.recorded
        duplicate += other.duplicate
        conflict += other.conflict
        stayed += other.stayed
    }
}
