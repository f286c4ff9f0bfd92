package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// Deliveries of the quarantine in one transaction.
    private static let atOnce = 256

    /// Judges deliveries again; see ``AttributionStore/LedgerWriting/requeue(_:judge:)``.
    ///
    /// Each is locked by the node that judges it, and others pass it by.
    package func requeue(_ query: QuarantineQuery, judge: ([ReceivedBody]) -> [Judgement]) throws -> Requeued {
        var result = Requeued()
        _ = try query.forEachPage(of: Self.atOnce) { page in
            let requeued = try requeuePage(page, judge)
            result += requeued?.result ?? Requeued()
            return requeued.map { ($0.result.judged, $0.last) }
        }
        return result
    }

    private func requeuePage(
        _ page: QuarantineQuery, _ judge: ([ReceivedBody]) -> [Judgement]
    ) throws -> (result: Requeued, last: Int64)? {
        try withSession { session in
            let networks = session.networks
            return try session.batch(PostbackInsertion(copies: [])) { batch -> (result: Requeued, last: Int64)? in
                let found = try page.deliveries(batch.connection, isLocking: true)
                guard let last = found.last?.id else {
                    return nil
                }
                let deliveries = found.filter { $0.kind != .conflict }
                let items = zip(deliveries, judge(deliveries.map(\.receivedBody))).map { origin, judgement in
                    PostgreSQLBatch.Item(origin.delivery(judged: judgement), from: origin)
                }
                _ = try batch.record(items, PostgreSQLBatch.insertion(items, networks), isLearning: true)
                return (batch.requeued, last)
            }.result
        }
    }

    /// Deletes deliveries; see ``AttributionStore/LedgerWriting/prune(_:)``.
    package func prune(_ query: QuarantineQuery) throws -> Int64 {
        try query.forEachPage(of: Self.atOnce) { page in
            try transaction { connection in
                let found = try page.deliveries(connection, isLocking: true)
                var quarantine = QuarantineInsertion(QuarantineRoom(node.settings.budgets))
                found.forEach { quarantine.remove($0) }
                try quarantine.write(connection)
                return found.last.map { (Int64(found.count), $0.id) }
            }
        }
    }
}
