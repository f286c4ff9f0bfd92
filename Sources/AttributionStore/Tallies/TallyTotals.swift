import Attribution
import Foundation
import GRDB

/// The tallies of a day summed again, to be compared with the stored ones or put in their place.
struct TallyTotals {
    private typealias Rows = [[UInt8]: Metrics]

    private var apps: [TallyApp: Rows] = [:]

    /// Postbacks summed before their sums are kept in place of them.
    private static let postbacksAtOnce = 65_536

    /// Sums a day's postbacks by their columns, in each family up to its mark.
    ///
    /// - Parameters:
    ///   - day: Days since 1970-01-01 UTC.
    ///   - ids: Rows among which the day's are; nil when it has none.
    ///   - marks: The last postback of each family.
    ///   - db: The store.
    /// - Throws: What SQLite reports.
    init(day: Int64, ids: ClosedRange<Int64>?, marks: [TallyFamily: Int64], _ db: Database) throws {
        guard let ids else {
            return
        }
        let range = (day * TallyFamily.dayMilliseconds)..<((day + 1) * TallyFamily.dayMilliseconds)
        let columns = ["id", "received_at", "traffic"] + TraitColumns.names + ReportDimension.stored.map(\.column)
        let dimensions = 3 + TraitColumns.names.count
        var backlog = TallyBacklog()
        var sums = self
        try LedgerScan(db: db, columns: columns.joined(separator: ", "), table: "postback").each(ids) { row in
            let id: Int64 = row[0]
            guard range.contains(row[1]), let traffic = Traffic(rawValue: row[2]),
                let traits = try? TraitColumns.traits(row, at: 3)
            else {
                return
            }
            backlog.count(
                traits, ReportDimension.stored.indices.map { row[dimensions + $0] }, traffic: traffic,
                receivedAtMilliseconds: row[1], in: { id <= marks[$0] ?? 0 })
            if backlog.count == Self.postbacksAtOnce {
                try sums.take(&backlog)
            }
        }
        try sums.take(&backlog)
        self = sums
    }

    /// Moves a backlog's sums here.
    private mutating func take(_ backlog: inout TallyBacklog) throws {
        try backlog.forEachApp { app, _, merge in
            try merge(nil).bytes.withUnsafeBytes { try Self.add($0, to: &apps[app, default: [:]]) }
        }
        backlog.removeAll()
    }

    /// Puts these in place of the stored ones, an app's day in one part.
    func replace(day: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM tally WHERE day = ?", arguments: [day])
        let writer = try TallyWriter(db)
        for (app, rows) in apps {
            try writer.write(rows.count, of: app) { _ in
                rows.reduce(into: TallyRows()) { $0.append(key: $1.key, $1.value) }
            }
        }
    }

    /// Names each stored row that differs, is missing or should not be there.
    func differences(day: Int64, _ db: Database) throws -> [String] {
        var expected = apps
        var found: [String] = []
        let parts = try Row.fetchCursor(
            db,
            sql: """
                SELECT traffic, day, framework, ad_network_id, app_id, counts FROM tally WHERE day = ?
                ORDER BY traffic, day, framework, ad_network_id, app_id
                """, arguments: [day])
        var app: TallyApp?
        var stored: Rows = [:]
        func compare() {
            if let app {
                found += Self.differences(app, stored, expected.removeValue(forKey: app) ?? [:])
            }
        }
        while let part = try parts.next() {
            guard let traffic = Traffic(rawValue: part[0]) else {
                found.append("tallies of unknown traffic \(part[0] as String)")
                continue
            }
            let next = TallyApp(
                day: part[1], traffic: traffic, framework: part[2], adNetworkID: part[3], appID: part[4])
            if next != app {
                compare()
                (app, stored) = (next, [:])
            }
            do {
                try part.withUnsafeData(atIndex: 5) { data in
                    try data?.withUnsafeBytes { try Self.add($0, to: &stored) }
                }
            } catch {
                found.append("\(Self.name(next)): \(error)")
            }
        }
        compare()
        for (app, rows) in expected {
            found += Self.differences(app, [:], rows)
        }
        return found
    }

    private static func add(_ bytes: UnsafeRawBufferPointer, to rows: inout Rows) throws {
        try TallyRows.each(in: bytes) { row in
            try rows[Array(row.key), default: Metrics()].add(encoded: row.counts)
        }
    }

    private static func differences(_ app: TallyApp, _ stored: Rows, _ expected: Rows) -> [String] {
        Set(stored.keys).union(expected.keys).flatMap { key -> [String] in
            let name = "\(name(app)) \(name(key))"
            switch (stored[key], expected[key]) {
            case (_?, nil):
                return ["\(name): is there without a postback"]
            case (nil, let expected?):
                return ["\(name): is missing, the postbacks say \(expected[.postbacks])"]
            case (let stored?, let expected?):
                return Metrics.counters.filter { stored[$0] != expected[$0] }
                    .map { "\(name): \($0) is \(stored[$0]), the postbacks say \(expected[$0])" }
            case (nil, nil):
                return []
            }
        }
    }

    private static func name(_ app: TallyApp) -> String {
        "tally of day \(app.day), \(app.traffic.rawValue) \(app.framework) \(app.adNetworkID) \(app.appID)"
    }

    private static func name(_ key: [UInt8]) -> String {
        let family = key.first.flatMap(TallyFamily.init(code:))?.rawValue ?? ""
        let values = key.withUnsafeBytes { (try? TallyRows.values($0)) ?? [] }
        return "by \(family) \(values.joined(separator: " "))"
    }
}
