package import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// Reads everything again from the raw bytes, in one snapshot; see ``AttributionStore/LedgerReading/recount(judge:)``.
    ///
    /// Postbacks whose bodies were dropped with their partition are not read.
    package func recount(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> Recount {
        try await read { snapshot in
            try RecountPass(snapshot.connection, judge).run()
        }
    }
}

/// Compares what reports read with the raw bytes, in memory that does not grow with the postbacks.
private struct RecountPass {
    private let connection: PostgreSQLConnection
    private let judge: ([[UInt8]]) -> [Judgement]
    private var result = Recount()
    private var values = CodedTexts()

    /// Rows verified together.
    private static let rowsAtOnce: Int64 = 1_024

    init(_ connection: PostgreSQLConnection, _ judge: @escaping ([[UInt8]]) -> [Judgement]) {
        self.connection = connection
        self.judge = judge
    }

    consuming func run() throws -> Recount {
        try checkKeys()
        try checkValues()
        try checkRows()
        try checkBlocks()
        try checkDeliveries()
        try checkPlausibility()
        try checkQuarantine()
        return result
    }

    // MARK: Rows

    private mutating func checkKeys() throws {
        let lost = try connection.run(
            """
            SELECT part.id, bool_or(part.is_body) FROM (
                SELECT id, false AS is_body FROM skan.postback_key UNION ALL SELECT id, true FROM skan.postback_body
            ) AS part LEFT JOIN skan.postback AS p ON p.id = part.id
            WHERE p.id IS NULL GROUP BY part.id ORDER BY part.id
            """)
        for row in 0..<lost.count {
            let reason = try lost.bool(row, 1) ? "and only its bytes are left; a backup may have it" : ""
            result.note(.missingRow(try lost.integer(row, 0), reason: reason))
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

    private mutating func checkValues() throws {
        let damaged = try connection.run(
            "SELECT code FROM skan.value AS v WHERE NOT \(CodedValue.isIntactSQL) ORDER BY code")
        for row in 0..<damaged.count {
            result.note(.value(code: try damaged.integer(row, 0)))
        }
    }

    private mutating func checkRows() throws {
        // Older bodies went with their partitions.
        let oldest = try connection.run("SELECT id FROM skan.postback_body ORDER BY id LIMIT 1")
        var last = try oldest.count == 0 ? Int64.max : oldest.integer(0, 0) - 1
        while true {
            let page = try connection.run(
                "SELECT \(StoredPostback.columns) \(RecordedPostback.tables) WHERE p.id > $1 ORDER BY p.id LIMIT $2",
                [.integer(last), .integer(Self.rowsAtOnce)])
            guard page.count > 0 else {
                return
            }
            let rows = try (0..<page.count).map { try StoredPostback(page, $0) }
            last = try page.integer(page.count - 1, 0)
            try check(rows)
        }
    }

    private mutating func check(_ rows: [StoredPostback]) throws {
        result.postbacks += Int64(rows.count)
        var present: [(row: StoredPostback, body: [UInt8])] = []
        for row in rows {
            if let body = row.recorded.body {
                present.append((row, body))
            } else {
                result.note(.unreadable(row.recorded.id, reason: "its body is missing"))
            }
        }
        var read: [(row: StoredPostback, postback: ReceivedPostback, isVerified: Bool, digests: PostbackDigests)] = []
        var digester = PostbackDigester()
        for ((row, body), judgement) in zip(present, judge(present.map(\.body))) {
            if let (postback, isVerified) = postback(row.recorded, body, judgement) {
                let digests = digester.digests(of: postback, provenance: row.recorded.traffic.provenance)
                read.append((row, postback, isVerified, digests))
            }
        }
        try values.learn(read.lazy.flatMap(\.row.codes), connection)
        let keys = try PostbackInsertion.known(read.map(\.digests.key), connection)
        for (row, postback, isVerified, digests) in read {
            let id = row.recorded.id
            if let owner = keys[digests.key]?.id, owner != id {
                // The row must not get the digests and facts of that one.
                result.note(.unverified(id, reason: RecountDifference.bytes(of: owner)))
                continue
            }
            let areDigestsRight = keys[digests.key]?.content == digests.content
            guard isVerified || areDigestsRight else {
                result.note(.unverified(id, reason: RecountDifference.changedWithoutKey))
                continue
            }
            if isVerified {
                result.verified += 1
            } else {
                result.unverifiedTest += 1
            }
            if !areDigestsRight {
                result.note(.digests(id))
            }
            if !row.says(postback, digests, values) {
                result.note(.facts(id))
            }
        }
    }

    /// The postback of a row, if it verifies as it did, or its key was not named again.
    private mutating func postback(
        _ recorded: RecordedPostback, _ body: [UInt8], _ judgement: Judgement
    ) -> (postback: ReceivedPostback, isVerified: Bool)? {
        let (id, traffic) = (recorded.id, recorded.traffic)
        switch judgement {
        case .verified(let verified) where verified.provenance == traffic.provenance:
            return (verified.postback, true)
        case .verified(let verified):
            result.note(
                .unverified(id, reason: "recorded as \(traffic.rawValue), verifies as \(verified.provenance.rawValue)"))
        case .undecided(let reason, _):
            result.note(.unverified(id, reason: "could not be verified: \(reason)"))
        case .rejected(let rejection, _):
            guard rejection.lacksKey(of: traffic, recorded.keyName),
                let received = try? ReceivedPostback(reading: body)
            else {
                result.note(.unverified(id, reason: "does not verify again: \(rejection)"))
                return nil
            }
            return (received, false)
        }
        return nil
    }

    // MARK: What follows from the rows

    private mutating func checkBlocks() throws {
        let blocks = try RecountBlocks(connection)
        for ids in blocks.differing {
            result.note(.block(ids))
        }
        if blocks.hasStrays {
            result.note(.strayColumns)
        }
    }

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
        var (tooHigh, tooLow): (Set<Int64>, Set<Int64>) = ([], [])
        for row in 0..<wrong.count {
            let (quarter, counted, rows) = (
                try wrong.integer(row, 0), try wrong.integer(row, 3), try wrong.integer(row, 4)
            )
            if counted > rows {
                tooHigh.insert(quarter)
            } else {
                tooLow.insert(quarter)
            }
            result.note(
                .deliveries(
                    quarter: quarter, traffic: try wrong.text(row, 1), recipient: try wrong.text(row, 2),
                    counted: counted, rows: rows))
        }
        // Facts are of another traffic or recipient than was counted, or counts are wrong: nothing tells which.
        result.keptQuarters = tooHigh.intersection(tooLow)
    }

    /// Those of recorded postbacks were compared with the rows; of the others, nothing but their sums is there.
    private mutating func checkPlausibility() throws {
        let most = DeliveryCounts.plausible.upperBound
        let deliveries = try connection.run(
            """
            SELECT quarter, status, traffic, reason, recipient::text, name, sum(value)::text
            FROM skan.delivery, LATERAL (VALUES ('count', count), ('kept', kept)) AS cell (name, value)
            WHERE status <> 'recorded'
            GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(value) NOT BETWEEN 0 AND $1 ORDER BY 1, 2, 3, 4, 5, 6
            """, [.integer(most)])
        for row in 0..<deliveries.count {
            let key = ImplausibleCount.Key.delivery(
                quarter: try deliveries.integer(row, 0), status: try deliveries.text(row, 1),
                traffic: try deliveries.text(row, 2), reason: try deliveries.text(row, 3),
                recipient: try deliveries.text(row, 4))
            let (column, value) = (try deliveries.text(row, 5), try deliveries.text(row, 6))
            result.note(.implausibleCount(ImplausibleCount(key, column: column, value: value)))
        }
        let repeats = try connection.run(
            """
            SELECT quarter, delay, sum(count)::text FROM skan.repeat_delay
            GROUP BY 1, 2 HAVING sum(count) NOT BETWEEN 0 AND $1 ORDER BY 1, 2
            """, [.integer(most)])
        for row in 0..<repeats.count {
            let key = ImplausibleCount.Key.repeats(
                quarter: try repeats.integer(row, 0), delay: try repeats.integer(row, 1))
            result.note(
                .implausibleCount(ImplausibleCount(key, column: "count", value: try repeats.text(row, 2))))
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
