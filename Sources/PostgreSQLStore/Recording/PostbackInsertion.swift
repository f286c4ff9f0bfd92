import Attribution
import AttributionStore

/// The first copies of a batch's postbacks, on their way into the tables.
struct PostbackInsertion {
    /// The first copy of a postback within a batch.
    struct Copy {
        let body: [UInt8]
        let keyName: String
        let digests: PostbackDigests
        let facts: PostbackFacts
        let receivedAt: Int64
        /// When another store recorded it, in Unix milliseconds; nil for one that is recorded now.
        var recordedAt: Int64?

        var values: [CodedValue] {
            facts.values(keyName: keyName)
        }
    }

    /// A postback that is recorded.
    struct Known {
        let id: Int64
        let content: Digest16
        let receivedAt: Int64
        let recipient: Delivery.Recipient
        let traffic: Traffic

        /// Whether a delivery is the very one that was recorded: of the same moment and recipient, and saying the same.
        func says(_ content: Digest16, _ delivery: Delivery) -> Bool {
            self.content == content && receivedAt == delivery.receivedAtMilliseconds && recipient == delivery.recipient
        }
    }

    /// Of different keys, in the order received.
    let copies: [Copy]
    /// Whether another store recorded them.
    var isFromStore = false

    /// Inserts the copies that nobody has inserted before, and finds those that somebody has.
    ///
    /// - Returns: The ids of those inserted, what is known of the others, and when the database says it is. A key that is
    ///   in neither is one that cannot be decided now.
    func insert(
        _ connection: PostgreSQLConnection,
        _ codes: ValueCodes,
        excluding claimed: Set<Digest16> = []
    ) throws -> (inserted: [Digest16: Int64], known: [Digest16: Known], recordedAt: Int64?) {
        guard !copies.isEmpty else {
            return ([:], [:], nil)
        }
        let inserted = try insertKeys(connection, excluding: claimed)
        let recordedAt = try insertRows(of: inserted, connection, codes)
        let others = copies.map(\.digests.key).filter { inserted[$0] == nil }
        return (inserted, try Self.known(others, connection), recordedAt)
    }

    /// Inserts the keys that nobody has inserted before.
    ///
    /// Ids follow the order received, and keys that are known already get none: only a node that loses against another
    /// leaves a gap.
    private func insertKeys(
        _ connection: PostgreSQLConnection, excluding claimed: Set<Digest16>
    ) throws -> [Digest16: Int64] {
        let candidates = copies.map(\.digests).filter { !claimed.contains($0.key) }
        let result = try connection.run(
            """
            WITH input AS MATERIALIZED (
                SELECT * FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS input (key, content, position)
            ), fresh AS MATERIALIZED (
                SELECT key, content, nextval('skan.postback_id') AS id FROM (
                    SELECT key, content FROM input
                    WHERE NOT EXISTS (SELECT FROM skan.postback_key AS known WHERE known.key = input.key)
                    ORDER BY position
                ) AS ordered
            )
            INSERT INTO skan.postback_key (key, content, id)
            -- In the order of the keys, which all nodes lock them in.
            SELECT key, content, id FROM fresh ORDER BY key
            ON CONFLICT (key) DO NOTHING
            RETURNING key, id
            """, [.digests(candidates.map(\.key)), .digests(candidates.map(\.content))])
        var inserted: [Digest16: Int64] = [:]
        for row in 0..<result.count {
            inserted[try result.digest(row, 0)] = try result.integer(row, 1)
        }
        return inserted
    }

    /// Inserts facts and bodies of the keys that were new, and of no others: nothing has to be joined on the server.
    ///
    /// - Returns: When the database says it is; nil when nothing was new.
    private func insertRows(
        of inserted: [Digest16: Int64], _ connection: PostgreSQLConnection, _ codes: ValueCodes
    ) throws -> Int64? {
        let rows = copies.compactMap { copy in inserted[copy.digests.key].map { (id: $0, copy: copy) } }
            .sorted { $0.id < $1.id }
        guard !rows.isEmpty else {
            return nil
        }
        let result = try connection.run(
            isFromStore ? Self.copyingSQL : Self.recordingSQL, try parameters(rows.map(\.id), rows.map(\.copy), codes))
        guard try result.bool(0, 0) else {
            throw StaleCodes()
        }
        return try result.integer(0, 1)
    }

    /// What is recorded under keys, by a statement of its own: whoever won against ours may be invisible to the snapshot
    /// of the statement that lost.
    static func known(_ keys: [Digest16], _ connection: PostgreSQLConnection) throws -> [Digest16: Known] {
        guard !keys.isEmpty else {
            return [:]
        }
        let result = try connection.run(
            """
            SELECT k.key, k.content, k.id, p.received_at, p.recipient::text, p.traffic::text
            FROM skan.postback_key AS k JOIN skan.postback AS p ON p.id = k.id
            WHERE k.key = ANY ($1::uuid[])
            """, [.digests(keys)])
        var known: [Digest16: Known] = [:]
        for row in 0..<result.count {
            known[try result.digest(row, 0)] = Known(
                id: try result.integer(row, 2), content: try result.digest(row, 1),
                receivedAt: try result.integer(row, 3), recipient: try result.word(row, 4),
                traffic: try result.word(row, 5))
        }
        return known
    }

    private func parameters(
        _ ids: [Int64], _ rows: [Copy], _ codes: ValueCodes
    ) throws -> [PostgreSQLParameter] {
        let values = rows.map(\.values)
        let coded = try values.map { try $0.map { try codes.code($0) ?? { throw StaleCodes() }() } }
        let used = Set(values.joined().filter { !$0.text.isEmpty }).sorted()
        return [
            .integers(ids), .integers(rows.map(\.receivedAt)),
            .smallIntegers(rows.map { Int32(clamping: $0.facts.quarter) }),
            .texts(rows.map(\.facts.traffic.rawValue)), .texts(rows.map(\.facts.recipient.rawValue)),
            .smallIntegers(rows.map { Int32(bitPattern: UInt32(truncatingIfNeeded: $0.facts.transaction)) }),
            .smallIntegers(rows.map { Int32(Int16(bitPattern: $0.digests.key.positionCheck)) }),
            .blobs(rows.map(\.body)),
        ]
            + PostbackFacts.codedColumns.indices.map { column in .smallIntegers(coded.map { $0[column] }) }
            + [
                .smallIntegers(used.compactMap(codes.code)), .texts(used.map(\.kind.rawValue)),
                .texts(used.map(\.text)), .integer(PostbackDigests.version),
            ]
            + (isFromStore ? [.integers(rows.map { $0.recordedAt ?? 0 })] : [])
    }

    private static let columns = PostbackFacts.codedColumns.joined(separator: ", ")

    /// Facts and bodies, and whether the codes they use are the server's.
    private static func sql(_ input: String = "", _ column: String = "", recordedAt: String = "now()") -> String {
        """
        WITH input AS MATERIALIZED (
            SELECT * FROM unnest(
                $1::int8[], $2::int8[], $3::int4[], $4::text[], $5::text[], $6::int4[], $7::int4[], $8::bytea[],
                $9::int4[], $10::int4[], $11::int4[], $12::int4[], $13::int4[], $14::int4[], $15::int4[], $16::int4[],
                $17::int4[], $18::int4[]\(input)
            ) AS input (
                id, received_at, quarter, traffic, recipient, transaction, key_check, body,
                \(columns)\(column)
            )
        ), facts AS (
            INSERT INTO skan.postback (
                id, commit_order, recorded_at, received_at, quarter, traffic, recipient, \(columns), transaction, key_check,
                digest_version)
            SELECT
                -- Not a join, which the server takes for a long one that is worth being compiled each time.
                id, (SELECT commit_base FROM skan.store) + pg_current_xact_id()::text::int8, \(recordedAt),
                received_at, quarter, traffic::skan.traffic, recipient::skan.recipient, \(columns), transaction,
                key_check::int2, $22::int2
            FROM input
        ), bodies AS (
            INSERT INTO skan.postback_body (id, recorded_at, body) SELECT id, \(recordedAt), body FROM input
        )
        SELECT
            (SELECT count(*) FROM unnest($19::int4[], $20::text[], $21::text[]) AS used (code, kind, value)
                JOIN skan.value AS v ON v.code = used.code AND v.kind = used.kind AND v.value = used.value
            ) = cardinality($19::int4[]),
            floor(extract(epoch FROM now()) * 1000)::int8
        """
    }

    private static let recordingSQL = sql()
    private static let copyingSQL = sql(
        ", $23::int8[]", ", recorded_at", recordedAt: "timestamptz 'epoch' + recorded_at * interval '1 millisecond'")
}
