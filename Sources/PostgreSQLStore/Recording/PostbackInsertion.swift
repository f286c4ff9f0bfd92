import Attribution
import AttributionStore

/// The first copies of a batch's postbacks, on their way into the tables.
struct PostbackInsertion {
    /// The first copy of a postback within a batch.
    struct Copy {
        let verified: VerifiedPostback
        let digests: PostbackDigests
        let delivery: Delivery
        let traffic: Traffic
        let facts: PostbackFacts

        var values: [CodedValue] {
            facts.values(keyName: verified.keyName)
        }
    }

    /// A postback that is recorded.
    struct Known {
        let id: Int64
        let content: Digest16
        let receivedAt: Int64
        let recipient: Delivery.Recipient
        let traffic: Traffic
    }

    /// Of different keys, in the order received.
    let copies: [Copy]

    /// Inserts the copies that nobody has inserted before, and finds those that somebody has.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - codes: Has a code for every value.
    /// - Returns: The ids of those inserted, what is known of the others, and when the database says it is. A key that is
    ///   in neither is one that cannot be decided now.
    /// - Throws: ``StaleCodes``, and ``PostgreSQLFault``.
    func insert(
        _ connection: PostgreSQLConnection,
        _ codes: ValueCodes
    ) throws -> (inserted: [Digest16: Int64], known: [Digest16: Known], recordedAt: Int64?) {
        guard !copies.isEmpty else {
            return ([:], [:], nil)
        }
        let result = try connection.run(Self.sql, try parameters(codes))
        var inserted: [Digest16: Int64] = [:]
        var recordedAt: Int64?
        for row in 0..<result.count {
            guard try result.bool(row, 2) else {
                throw StaleCodes()
            }
            inserted[try result.digest(row, 0)] = try result.integer(row, 1)
            recordedAt = try result.integer(row, 3)
        }
        let others = copies.map(\.digests.key).filter { inserted[$0] == nil }
        return (inserted, try Self.known(others, connection), recordedAt)
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

    private func parameters(_ codes: ValueCodes) throws -> [PostgreSQLParameter] {
        // In the order of the keys, which all nodes lock them in.
        let order = copies.indices.sorted {
            let (left, right) = (copies[$0].digests.key, copies[$1].digests.key)
            return (left.high, left.low) < (right.high, right.low)
        }
        let sorted = order.map { copies[$0] }
        let values = sorted.map(\.values)
        let coded = try values.map { try $0.map { try codes.code($0) ?? { throw StaleCodes() }() } }
        let used = Set(values.joined().filter { !$0.text.isEmpty }).sorted()
        return [
            .digests(sorted.map(\.digests.key)), .digests(sorted.map(\.digests.content)),
            .integers(order.map { Int64($0) }), .integers(sorted.map(\.delivery.receivedAtMilliseconds)),
            .smallIntegers(sorted.map { Int32(clamping: $0.facts.quarter) }),
            .texts(sorted.map(\.traffic.rawValue)), .texts(sorted.map(\.delivery.recipient.rawValue)),
            .smallIntegers(sorted.map { Int32(bitPattern: UInt32(truncatingIfNeeded: $0.facts.transaction)) }),
            .smallIntegers(sorted.map { Int32(Int16(bitPattern: $0.digests.key.positionCheck)) }),
            .blobs(sorted.map(\.verified.postback.body)),
        ]
            + PostbackFacts.codedColumns.indices.map { column in .smallIntegers(coded.map { $0[column] }) }
            + [
                .smallIntegers(used.compactMap(codes.code)), .texts(used.map(\.kind.rawValue)),
                .texts(used.map(\.text)),
                .integer(PostbackDigests.version),
            ]
    }

    private static let columns = PostbackFacts.codedColumns.joined(separator: ", ")

    /// Keys first; facts and bodies of those keys alone that were new.
    ///
    /// Ids follow the order received, and those that are
    /// known already get none: only a node that loses against another leaves a gap.
    private static let sql = """
        WITH input AS MATERIALIZED (
            SELECT * FROM unnest(
                $1::uuid[], $2::uuid[], $3::int8[], $4::int8[], $5::int4[], $6::text[], $7::text[], $8::int4[],
                $9::int4[], $10::bytea[], $11::int4[], $12::int4[], $13::int4[], $14::int4[], $15::int4[], $16::int4[],
                $17::int4[], $18::int4[], $19::int4[], $20::int4[]
            ) AS input (
                key, content, position, received_at, quarter, traffic, recipient, transaction, key_check, body, \(columns)
            )
        ), fresh AS MATERIALIZED (
            SELECT key, content, nextval('skan.postback_id') AS id FROM (
                SELECT key, content FROM input
                WHERE NOT EXISTS (SELECT FROM skan.postback_key AS known WHERE known.key = input.key)
                ORDER BY position
            ) AS ordered
        ), added AS (
            INSERT INTO skan.postback_key (key, content, id)
            SELECT key, content, id FROM fresh ORDER BY key
            ON CONFLICT (key) DO NOTHING
            RETURNING key, id
        ), facts AS (
            INSERT INTO skan.postback (
                id, commit_order, recorded_at, received_at, quarter, traffic, recipient, \(columns), transaction, key_check,
                digest_version)
            SELECT
                added.id, store.commit_base + pg_current_xact_id()::text::int8, now(), received_at, quarter,
                traffic::skan.traffic, recipient::skan.recipient, \(columns), transaction, key_check::int2, $24::int2
            FROM added JOIN input USING (key) CROSS JOIN skan.store
            ORDER BY added.id
        ), bodies AS (
            INSERT INTO skan.postback_body (id, recorded_at, body)
            SELECT added.id, now(), body FROM added JOIN input USING (key) ORDER BY added.id
        )
        SELECT
            key, id,
            (SELECT count(*) FROM unnest($21::int4[], $22::text[], $23::text[]) AS used (code, kind, value)
                JOIN skan.value AS v ON v.code = used.code AND v.kind = used.kind AND v.value = used.value
            ) = cardinality($21::int4[]),
            floor(extract(epoch FROM now()) * 1000)::int8
        FROM added
        """
}
