import Attribution
import Foundation
import GRDB

/// All tallies summed again, to be compared with the stored ones or put in their place.
struct TallyTotals {
    private typealias Rows = [[UInt8]: Metrics]

    private var apps: [TallyApp: Rows] = [:]

    /// Moves a backlog's sums here.
    mutating func take(_ backlog: inout TallyBacklog) throws {
        try backlog.forEachApp { app, _, merge in
            try merge(nil).bytes.withUnsafeBytes { try Self.add($0, to: &apps[app, default: [:]]) }
        }
        backlog.removeAll()
    }

    /// Puts these in place of the stored ones, an app's day in one part.
    func replace(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM tally")
        let writer = try TallyWriter(db)
        for (app, rows) in apps {
            try writer.write(rows.count, of: app) { _ in
                rows.reduce(into: TallyRows()) { $0.append(key: $1.key, $1.value) }
            }
        }
    }

    /// Names each stored row that differs, is missing or should not be there.
    func differences(_ db: Database) throws -> [String] {
        var expected = apps
        var found: [String] = []
        let parts = try Row.fetchCursor(
            db,
            sql: """
                SELECT provenance, day, framework, ad_network_id, app_id, counts FROM tally
                ORDER BY provenance, day, framework, ad_network_id, app_id
                """)
        var app: TallyApp?
        var stored: Rows = [:]
        func compare() {
            if let app {
                found += Self.differences(app, stored, expected.removeValue(forKey: app) ?? [:])
            }
        }
        while let part = try parts.next() {
            guard let provenance = Provenance(rawValue: part[0]) else {
                found.append("tallies of unknown provenance \(part[0] as String)")
                continue
            }
            let next = TallyApp(
                day: part[1], provenance: provenance, framework: part[2], adNetworkID: part[3], appID: part[4])
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
                return ["\(name): stands there without a postback"]
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
        "tally of day \(app.day), \(app.provenance.rawValue) \(app.framework) \(app.adNetworkID) \(app.appID)"
    }

    private static func name(_ key: [UInt8]) -> String {
        let family = key.first.flatMap(TallyFamily.init(code:))?.rawValue ?? ""
        let values = key.withUnsafeBytes { (try? TallyRows.values($0)) ?? [] }
        return "by \(family) \(values.joined(separator: " "))"
    }
}
