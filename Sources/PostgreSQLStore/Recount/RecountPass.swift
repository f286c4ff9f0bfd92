package import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// Reads everything again from the raw bytes, in one snapshot; see ``AttributionStore/LedgerReading/recount(judge:)``.
    ///
    /// Postbacks whose bodies were dropped with their partition are not read.
    package func recount(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> Recount {
        try await read { snapshot in
            try RecountPass(snapshot.connection, judge).run()
        }
    }
}

/// Compares what reports read with the raw bytes, in memory that does not grow with the postbacks.
private struct RecountPass {
    private let connection: PostgreSQLConnection
    private let judge: ([ReceivedBody]) -> [Judgement]
    private var result = Recount()
    private var texts = CodedTexts()

    /// Rows verified together.
    private static let rowsAtOnce: Int64 = 1_024

    init(_ connection: PostgreSQLConnection, _ judge: @escaping ([ReceivedBody]) -> [Judgement]) {
        self.connection = connection
        self.judge = judge
    }

    consuming func run() throws -> Recount {
        try checkKeys()
        try checkRows()
        try checkBlocks()
        try checkDeliveries()
        try checkQuarantine()
        return result
    }

    // MARK: Rows

    private mutating func checkKeys() throws {
        let lost = try connection.run(
            """
            SELECT part.id FROM (
                SELECT id FROM skan.postback_key UNION SELECT id FROM skan.postback_body
            ) AS part LEFT JOIN skan.postback AS p ON p.id = part.id
            WHERE p.id IS NULL ORDER BY part.id
            """)
        for row in 0..<lost.count {
            let id = try lost.integer(row, 0)
            result.note(.missingRows(id...id))
        }
        let copies = try connection.run(
            """
            SELECT DISTINCT c.id FROM skan.recipient_copy AS c LEFT JOIN skan.postback AS p ON p.id = c.id
            WHERE p.id IS NULL ORDER BY c.id
            """)
        for row in 0..<copies.count {
            result.note(.copyWithoutRow(try copies.integer(row, 0)))
        }
    }

    private mutating func checkRows() throws {
        // Older bodies went with their partitions.
        let oldest = try connection.run("SELECT id FROM skan.postback_body ORDER BY id LIMIT 1")
        var last = try oldest.count == 0 ? Int64.max : oldest.integer(0, 0) - 1
        while true {
            let page = try connection.run(
                "SELECT \(StoredFacts.columns) \(RecordedPostback.tables) WHERE p.id > $1 ORDER BY p.id LIMIT $2",
                [.integer(last), .integer(Self.rowsAtOnce)])
            guard page.count > 0 else {
                return
            }
            last = try page.integer(page.count - 1, 0)
            try check(try (0..<page.count).map { (try RecordedPostback(page, $0), try StoredFacts(page, $0)) })
        }
    }

    private mutating func check(_ rows: [(recorded: RecordedPostback, facts: StoredFacts)]) throws {
        result.postbacks += Int64(rows.count)
        for (recorded, _) in rows where recorded.body == nil {
            result.note(.unreadable(recorded.id, reason: "its body is missing"))
        }
        let present = rows.filter { $0.recorded.body != nil }
        var read: [(read: Recount.ReadPostback, facts: StoredFacts)] = []
        for (row, judgement) in zip(present, judge(present.map(\.recorded.receivedBody))) {
            if let postback = result.read(row.recorded, judgement) {
                read.append((postback, row.facts))
            }
        }
        try texts.learn(read.lazy.flatMap(\.facts.codes), connection)
        let keys = try PostbackInsertion.known(read.map(\.read.digests.key), connection)
        for (read, facts) in read {
            let (id, known) = (read.recorded.id, keys[read.digests.key])
            if let owner = known?.id, owner != id {
                // The row must not get the digests and facts of that one.
                result.note(.unverified(id, reason: "its bytes are those of postback \(owner)"))
            } else if result.confirm(read, areDigestsRight: known?.content == read.digests.content),
                !facts.areThose(of: read, texts)
            {
                result.note(.facts(id))
            }
        }
    }

    // MARK: Blocks

    private mutating func checkBlocks() throws {
        let chain = try BlockChain(connection)
        if !chain.strays.isEmpty {
            result.note(.strayColumns)
        }
        var codes = try ColumnCodes(connection, LedgerColumn.ofBlocks.filter(\.isCoded), isCounting: false)
        for part in chain.parts {
            switch part {
            case .gap(let range):
                try noteGap(range)
            // A later release's blocks are its own.
            case .block(let header) where header.rules <= ColumnBlock.rules:
                let page = try FactPage(connection, header.range, LedgerColumn.ofBlocks, limit: header.count + 1)
                let expected = try page.values(connection, &texts, &codes, isCounting: false)
                if let lowest = page.ids.min(), let highest = page.ids.max(), try !isSame(header, expected, codes) {
                    result.note(.block(lowest...highest))
                }
            case .block:
                break
            }
        }
    }

    private mutating func noteGap(_ range: CommitRange) throws {
        var after = range.after
        while case let page = try FactPage(connection, CommitRange(after: after, through: range.through), []),
            let last = page.last, let lowest = page.ids.min(), let highest = page.ids.max()
        {
            result.note(.block(lowest...highest))
            after = last
        }
    }

    private func isSame(_ header: BlockHeader, _ expected: ColumnValues, _ codes: ColumnCodes) throws -> Bool {
        let stored = try StoredColumn.read([header], LedgerColumn.ofBlocks, connection)[header.number] ?? [:]
        // A block may still have what neither facts nor bytes say any more.
        let known = (0..<expected.count).filter { expected[.traffic][$0] != 0 }
        return header.count == expected.count
            && LedgerColumn.ofBlocks.allSatisfy { column in
                stored[column]?.withBlock(header) { block in
                    known.allSatisfy { codes.areSame(block[$0], expected[column][$0], column) }
                } ?? false
            }
    }

    // MARK: Sums

    private mutating func checkDeliveries() throws {
        let wrong = try connection.run(
            """
            SELECT coalesce(there.quarter, counted.quarter), coalesce(there.traffic, counted.traffic),
                coalesce(there.recipient, counted.recipient), coalesce(counted.count, 0), coalesce(there.count, 0)
            FROM (
                SELECT quarter, traffic::text AS traffic, recipient::text AS recipient, count(*) AS count
                FROM skan.postback GROUP BY 1, 2, 3
            ) AS there FULL JOIN (
                SELECT quarter, traffic, recipient::text AS recipient, sum(count)::int8 AS count FROM skan.delivery
                WHERE status = 'recorded' GROUP BY 1, 2, 3
            ) AS counted USING (quarter, traffic, recipient)
            WHERE coalesce(there.count, 0) <> coalesce(counted.count, 0)
            ORDER BY 1, 2, 3
            """)
        for row in 0..<wrong.count {
            result.note(
                .deliveries(
                    quarter: try wrong.integer(row, 0), traffic: try wrong.text(row, 1),
                    recipient: try wrong.text(row, 2), counted: try wrong.integer(row, 3),
                    rows: try wrong.integer(row, 4)))
        }
    }

    private mutating func checkQuarantine() throws {
        let wrong = try connection.run(
            """
            SELECT class FROM (
                SELECT class, count(*) AS count, sum(octet_length(body))::int8 AS bytes FROM skan.quarantine
                GROUP BY class
            ) AS there FULL JOIN (
                SELECT class, sum(count)::int8 AS count, sum(bytes)::int8 AS bytes FROM skan.quarantine_change
                GROUP BY class
            ) AS total USING (class)
            WHERE coalesce(there.count, 0) <> coalesce(total.count, 0)
                OR coalesce(there.bytes, 0) <> coalesce(total.bytes, 0)
            ORDER BY class
            """)
        for row in 0..<wrong.count {
            result.note(.quarantineTotal(try wrong.text(row, 0)))
        }
    }
}

/// The facts of a postback as `skan.postback` has them.
private struct StoredFacts {
    /// The codes in the order of `PostbackFacts.codedColumns`.
    let codes: [Int32]
    private let transaction: Int64
    private let quarter: Int64
    private let digestVersion: Int64

    /// What ``init(_:_:)`` takes, behind what a `RecordedPostback` takes.
    static let columns =
        RecordedPostback.columns + ", p.transaction, p.quarter, p.digest_version, "
        + PostbackFacts.codedColumns.map { "p.\($0)" }.joined(separator: ", ")

    init(_ result: PostgreSQLResult, _ row: Int) throws {
        transaction = try result.integer(row, 8)
        quarter = try result.integer(row, 9)
        digestVersion = try result.integer(row, 10)
        codes = try PostbackFacts.codedColumns.indices.map {
            Int32(truncatingIfNeeded: try result.integer(row, 11 + $0))
        }
    }

    /// Whether they are what the bytes say.
    func areThose(of read: Recount.ReadPostback, _ texts: CodedTexts) -> Bool {
        let facts = read.facts
        return quarter == facts.quarter && read.recorded.check == read.digests.key.positionCheck
            && Int32(truncatingIfNeeded: transaction)
                == Int32(bitPattern: UInt32(truncatingIfNeeded: facts.transaction))
            && digestVersion == PostbackDigests.version
            && zip(codes, facts.values(keyName: read.recorded.keyName)).allSatisfy { code, value in
                texts.text(code, value.kind) == value.text
            }
    }
}
