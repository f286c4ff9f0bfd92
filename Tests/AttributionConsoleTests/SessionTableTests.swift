import AttributionConsole
import Foundation
import TestSupport
import Testing

@Suite("Sessions")
struct SessionTableTests {
    private static let start = ContinuousClock.now

    /// What some tokens grant.
    private static func grants(_ count: Int) throws -> [AccessGrant] {
        var list = AccessList()
        var generator = SystemRandomNumberGenerator()
        return try (0..<count).map { index in
            try list.create(
                name: "holder-\(index)", scopes: [.report], expires: nil, now: Date(), using: &generator
            ).grant
        }
    }

    private static func begin(
        _ table: inout SessionTable, _ grant: AccessGrant, after seconds: Int = 0
    ) -> SessionTable.Session {
        var generator = SystemRandomNumberGenerator()
        return table.begin(grant, at: start + .seconds(seconds), using: &generator)
    }

    @Test("A session has two secrets of 128 bits, and no two sessions share one")
    func secrets() throws {
        var table = SessionTable()
        let grants = try Self.grants(40)
        var secrets: Set<String> = []
        for grant in grants {
            let session = Self.begin(&table, grant)
            #expect(session.id.count == 32 && session.formToken.count == 32)
            #expect(secrets.insert(session.id).inserted && secrets.insert(session.formToken).inserted)
            #expect(table.session(session.id, at: Self.start)?.grant.id == grant.id)
        }
        #expect(table.session("", at: Self.start) == nil)
        #expect(table.session(String(repeating: "0", count: 32), at: Self.start) == nil)
    }

    @Test(
        "A session ends an hour after its last request, and twelve hours after its first",
        arguments: [
            ([3_599], true), ([3_600], false), ([3_000, 6_000, 9_000], true), ([3_000, 6_600], false),
            (Array(stride(from: 3_000, to: 43_200, by: 3_000)), true),
            (Array(stride(from: 3_000, through: 43_200, by: 3_000)) + [43_200], false),
        ] as [([Int], Bool)])
    func times(_ requests: [Int], _ isLive: Bool) throws {
        var table = SessionTable()
        let session = Self.begin(&table, try #require(Self.grants(1).first))
        var found: SessionTable.Session?
        for second in requests {
            found = table.session(session.id, at: Self.start + .seconds(second))
        }
        #expect((found != nil) == isLive)
        #expect(isLive || table.count == 0)
    }

    @Test("One holder has sixteen sessions at most, and the one used longest ago ends")
    func perToken() throws {
        var table = SessionTable()
        let grants = try Self.grants(2)
        let other = Self.begin(&table, grants[1])
        let mine = (0..<16).map { Self.begin(&table, grants[0], after: $0 + 1) }
        #expect(table.session(mine[0].id, at: Self.start + .seconds(30)) != nil)
        let last = Self.begin(&table, grants[0], after: 40)
        #expect(table.count == 17)
        let now = Self.start + .seconds(50)
        #expect(table.session(mine[1].id, at: now) == nil)
        for session in [other, mine[0], mine[2], last] {
            #expect(table.session(session.id, at: now) != nil)
        }
    }

    @Test("There are a thousand sessions at most")
    func capacity() throws {
        var table = SessionTable()
        for grant in try Self.grants(200) {
            for _ in 0..<6 {
                _ = Self.begin(&table, grant)
            }
        }
        #expect(table.count == SessionTable.capacity)
    }

    @Test("An ended session is gone")
    func ending() throws {
        var table = SessionTable()
        let session = Self.begin(&table, try #require(Self.grants(1).first))
        table.end(session.id)
        #expect(table.session(session.id, at: Self.start) == nil && table.count == 0)
    }

    // MARK: Forms and rates

    @Test(
        "Fields of forms are read as browsers write them",
        arguments: [
            ("a=1&b=2", [("a", "1"), ("b", "2")]), ("", []), ("a", []), ("a=", []), ("=1", [("", "1")]),
            ("a=b+c%20d%2Be", [("a", "b c d+e")]), ("a=%e2%82%AC", [("a", "€")]), ("a=%zz%2", [("a", "%zz%2")]),
            ("a=1=2&&a=3", [("a", "1=2"), ("a", "3")]), ("a=%ff", [("a", "\u{FFFD}")]),
        ] as [(String, [(String, String)])])
    func fields(_ text: String, _ fields: [(String, String)]) {
        let read = FormFields(text).fields
        #expect(read.map(\.name) == fields.map(\.0) && read.map(\.value) == fields.map(\.1))
    }

    @Test("A rate is that of the last minute, and unknown before two readings and after a pause")
    func rate() {
        var rate = RecentRate()
        #expect(rate.perSecond(at: Self.start) == nil)
        rate.note(100, at: Self.start)
        #expect(rate.perSecond(at: Self.start) == nil)
        for second in 1...300 {
            rate.note(100 + Int64(second) * 7, at: Self.start + .seconds(second))
        }
        #expect(rate.perSecond(at: Self.start + .seconds(300)) == 7)
        #expect(rate.perSecond(at: Self.start + .seconds(361)) == nil)
        for second in 301...370 {
            rate.note(2_200, at: Self.start + .seconds(second))
        }
        #expect(rate.perSecond(at: Self.start + .seconds(370)) == 0)
    }
}
