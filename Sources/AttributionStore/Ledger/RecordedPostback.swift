public import Attribution
import GRDB

/// A postback that was counted, with its bytes.
public struct RecordedPostback: Sendable {
    /// Its row; ids are dense, in the order of the commits.
    public let id: Int64
    /// When it was recorded, in Unix milliseconds.
    public let recordedAtMilliseconds: Int64
    /// When it was received, in Unix milliseconds.
    public let receivedAtMilliseconds: Int64
    /// Whose copy came first.
    public let recipient: Delivery.Recipient
    /// Which numbers it entered.
    public let traffic: Traffic
    /// The key that verified it.
    public let keyName: String
    /// The bytes as received; nil when they are damaged.
    public let body: [UInt8]?
}

/// Which recorded postbacks are asked for.
public struct PostbackQuery: Hashable, Sendable {
    /// `transaction-id` or `postback-identifier`, as received.
    public var transactionID: String?
    /// When they were received, in Unix milliseconds.
    public var received: Range<Int64>?
    /// Only those with a greater id; goes on where an answer ended.
    public var after: Int64
    /// The most postbacks of one answer.
    public var limit: Int

    /// Makes a query.
    public init(transactionID: String? = nil, received: Range<Int64>? = nil, after: Int64 = 0, limit: Int = 100) {
        self.transactionID = transactionID
        self.received = received
        self.after = after
        self.limit = limit
    }
}

extension LedgerReader {
    /// Recorded postbacks in the order of their ids.
    ///
    /// A search by transaction id reads every row, some seconds at ten million.
    ///
    /// - Throws: ``StoreError``.
    public func postbacks(_ query: PostbackQuery) async throws -> [RecordedPostback] {
        try await read { db in
            var conditions = ["id > ?"]
            var arguments: StatementArguments = [query.after]
            if let transactionID = query.transactionID {
                conditions.append("transaction_id = ?")
                arguments += [transactionID]
            }
            if let received = query.received {
                let length = RecordingBatch.quarterMilliseconds
                let rows = try Row.fetchOne(
                    db,
                    sql: "SELECT min(first_id), max(last_id) FROM postback_quarter WHERE quarter BETWEEN ? AND ?",
                    arguments: [
                        received.lowerBound.flooredQuotient(by: length),
                        received.upperBound.flooredQuotient(by: length),
                    ])
                conditions.append("id BETWEEN ? AND ? AND received_at >= ? AND received_at < ?")
                arguments += [
                    rows?[0] as Int64? ?? 0, rows?[1] as Int64? ?? 0, received.lowerBound, received.upperBound,
                ]
            }
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, recorded_at, received_at, recipient, traffic, key_name FROM postback
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY id LIMIT ?
                    """, arguments: arguments + [query.limit])
            return rows.compactMap { row in
                guard let recipient = Delivery.Recipient(rawValue: row[3]), let traffic = Traffic(rawValue: row[4])
                else {
                    return nil
                }
                let body = try? Row.fetchOne(
                    db, sql: "SELECT body FROM postback_body WHERE id = ?", arguments: [row[0] as Int64])?.bytes(at: 0)
                return RecordedPostback(
                    id: row[0], recordedAtMilliseconds: row[1], receivedAtMilliseconds: row[2], recipient: recipient,
                    traffic: traffic, keyName: row[5], body: body)
            }
        }
    }
}
