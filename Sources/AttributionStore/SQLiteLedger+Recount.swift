public import Attribution
import GRDB

extension SQLiteLedger {
    /// Postbacks summed before their sums are kept in place of them.
    private static let postbacksAtOnce = 65_536

    /// Tallies everything again; see ``PostbackLedger/recount(repair:judge:)``.
    public func recount(
        repair: Bool,
        judge: @escaping @Sendable ([UInt8]) -> Judgement
    ) async throws -> Recount {
        if repair, memory != nil {
            // The marks stay, and so does what is behind them: only what the tallies hold is put right.
            return try await database.write { db in
                try Self.recount(db, repair: true, judge)
            }
        }
        return try await database.read { db in
            try Self.recount(db, repair: false, judge)
        }
    }

    private static func recount(
        _ db: Database,
        repair: Bool,
        _ judge: ([UInt8]) -> Judgement
    ) throws -> Recount {
        var result = Recount()
        let marks = try TallyFold(db).marks()
        var totals = TallyTotals()
        var backlog = TallyBacklog()
        var fingerprints: Set<UInt64> = []
        var stored: [Int64: UInt64] = [:]
        try FingerprintBlock.each(db) { stored[$0] = $1 }
        var recorded: [Provenance: Int64] = [:]
        var mended: [(id: Int64, columns: [String])] = []
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, received_at, provenance, body, \(PostbackColumns.list) FROM postback ORDER BY id")
        while let row = try rows.next() {
            let id: Int64 = row[0]
            let body = try row.bytes(at: 3)
            guard let provenance = Provenance(rawValue: row[2]) else {
                result.differences.append("postback \(id): unknown provenance \(row[2] as String)")
                continue
            }
            result.postbacks += 1
            let postback: ReceivedPostback
            switch judge(body) {
            case .verified(let verified) where verified.provenance == provenance:
                postback = verified.postback
                result.verified += 1
            case .rejected(.invalidSignature, _) where provenance == .test,
                .rejected(.unknownKey, _) where provenance == .test:
                // The key that verified it was not named again.
                postback = try ReceivedPostback(reading: body)
                result.unverifiedTest += 1
            case .verified(let verified):
                result.differences.append(
                    "postback \(id): recorded as \(provenance.rawValue), verifies as \(verified.provenance.rawValue)")
                continue
            case .undecided(let reason, _):
                result.differences.append("postback \(id): whether it verifies could not be found out: \(reason)")
                continue
            case .rejected(let rejection, _):
                result.differences.append("postback \(id): does not verify again: \(rejection)")
                continue
            }
            let fingerprint = postback.key.fingerprint(provenance)
            if !fingerprints.insert(fingerprint).inserted {
                result.differences.append("postback \(id): its key stands twice")
            }
            if stored[id] != fingerprint {
                result.differences.append("postback \(id): its fingerprint is not the stored one")
            }
            let columns = PostbackColumns.values(of: postback)
            if columns.indices.contains(where: { columns[$0] != row[4 + $0] }) {
                // What lies behind a mark, and days that are not UTC's, are counted by the columns.
                result.differences.append("postback \(id): its columns do not say what its bytes say")
                mended.append((id, columns))
            }
            recorded[provenance, default: 0] += 1
            // Those behind a mark are counted from the ledger whenever someone asks.
            backlog.count(
                postback, provenance: provenance, receivedAtMilliseconds: row[1], in: { id <= marks[$0] ?? 0 })
            if backlog.count == postbacksAtOnce {
                try totals.take(&backlog)
            }
        }
        try totals.take(&backlog)
        result.differences += try totals.differences(db)
        for provenance in Provenance.allCases {
            let counted =
                try Int64.fetchOne(
                    db, sql: "SELECT SUM(count) FROM delivery WHERE status = 'recorded' AND provenance = ?",
                    arguments: [provenance.rawValue]) ?? 0
            if counted != recorded[provenance, default: 0] {
                result.differences.append(
                    "deliveries: \(counted) counted as recorded (\(provenance.rawValue)), "
                        + "\(recorded[provenance, default: 0]) postbacks there")
            }
        }
        if repair, !result.differences.isEmpty {
            for (id, columns) in mended {
                try db.cachedStatement(sql: PostbackColumns.update)
                    .execute(arguments: StatementArguments(columns) + [id])
            }
            try totals.replace(db)
            result.isRepaired = true
        }
        return result
    }
}
