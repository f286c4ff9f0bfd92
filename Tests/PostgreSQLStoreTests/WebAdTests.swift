import Attribution
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import TestSupport
import Testing

@Suite("Web ads in PostgreSQL", .serialized)
struct WebAdTests {
    let database: TestDatabase
    let signer: ImpressionSigner
    private let now = UnixMilliseconds(rawValue: TestDatabase.noon)

    init() throws {
        database = try TestDatabase()
        signer = try ImpressionSigner(.generate(.p256))
        try SchemaMigrator.migrate(database.address)
    }

    private func ad(_ domains: [String] = ["example.com"], issuedAt: Int64 = TestDatabase.noon) throws -> WebAd {
        var generator = SystemRandomNumberGenerator()
        return try WebAdRequest(
            adNetworkID: "Example123.skadnetwork", itunesItemID: 10_738_027_756, sourceIdentifier: 3_120,
            sourceDomains: domains, attributionDestination: "https://network.example"
        ).checked(nonce: Nonce(using: &generator), issuedAt: UnixMilliseconds(rawValue: issuedAt)).ad
    }

    /// The code of a refusal; nil for an answer.
    private func tap(
        _ ledger: PostgreSQLWebAdLedger, _ ad: WebAd, on domain: String = "example.com"
    ) async throws -> ErrorCode? {
        let tap = WebAdTap(nonce: ad.nonce, sourceDomain: try #require(SourceDomain(domain)))
        let answers = try ledger.answer([ReceivedTap(tap, at: now)]) { [signer] impressions in
            impressions.map { impression in Result { try signer.sign(impression) } }
        }
        switch try #require(answers.first) {
        case .signed: return nil
        case .refused(let refusal): return refusal.code
        case .unsigned(let error): throw error
        }
    }

    @Test("Of taps at two nodes at once one is answered")
    func once() async throws {
        let ledgers = try [database.address, database.address].map { PostgreSQLWebAdLedger($0) }
        let ad = try ad()
        try await ledgers[0].issue([ad], at: now)
        let codes = try await withThrowingTaskGroup(of: ErrorCode?.self) { group in
            for number in 0..<32 {
                group.addTask { try await tap(ledgers[number % 2], ad) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .nonceUsed } == 31)
    }

    @Test("Unknown, expired and for another domain are told from one another, by the database's clock")
    func refusals() async throws {
        let clock = TestClock(now.rawValue)
        let ledger = PostgreSQLWebAdLedger(try database.address) { clock.now }
        let ad = try ad()
        #expect(try await tap(ledger, ad) == .nonceUnknown)
        try await ledger.issue([ad], at: now)
        #expect(try await tap(ledger, ad, on: "example.org") == .domainNotAllowed)
        clock.now = ad.expiresAt.rawValue
        #expect(try await tap(ledger, ad) == .nonceExpired)
        clock.now = ad.expiresAt.rawValue - 1
        #expect(try await tap(ledger, ad) == nil)
        clock.now = ad.expiresAt.rawValue + 31 * 86_400_000
        try await ledger.issue([], at: now)
        #expect(try await tap(ledger, ad) == .nonceUnknown)
    }

    /// What a proxy does with the messages of a tap, and whether it is answered.
    static let cuts: [(CuttingProxy.Cut, isAnswered: Bool)] = [
        (.before("UPDATE skan.web_ad"), true), (.after("UPDATE skan.web_ad"), true), (.before(" COMMIT "), false),
        (.after(" COMMIT "), true), (.within(" COMMIT "), true),
    ]

    @Test("A connection cut anywhere answers a tap at most once", arguments: cuts)
    func cut(_ cut: CuttingProxy.Cut, _ isAnswered: Bool) async throws {
        let proxy = try CuttingProxy(to: database.server.port)
        let ledger = PostgreSQLWebAdLedger(
            try PostgreSQLAddress(database.server.address(database.name, port: proxy.port)))
        let ad = try ad()
        try await ledger.issue([ad], at: now)
        proxy.cut(cut)
        if isAnswered {
            #expect(try await tap(ledger, ad) == nil)
        } else {
            await #expect(throws: StoreError.self) { try await tap(ledger, ad) }
        }
        #expect(proxy.cuts == 1)
        #expect(try await tap(ledger, ad) == (isAnswered ? .nonceUsed : nil))
    }

    @Test("Groups of the same nonces at two nodes wait for one another, and each nonce is answered once")
    func groups() async throws {
        let ledgers = try [database.address, database.address].map { PostgreSQLWebAdLedger($0) }
        let ads = try (0..<50).map { _ in try ad() }
        try await ledgers[0].issue(ads, at: now)
        let domain = try #require(SourceDomain("example.com"))
        let taps = ads.map { ReceivedTap(WebAdTap(nonce: $0.nonce, sourceDomain: domain), at: now) }
        let signed = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<16 {
                group.addTask { [signer] in
                    let own = number < 8 ? taps : taps.reversed()
                    return try ledgers[number % 2].answer(own) { impressions in
                        impressions.map { impression in Result { try signer.sign(impression) } }
                    }.count { if case .signed = $0 { true } else { false } }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(signed == ads.count)
    }

    @Test("The tables let no used nonce become new")
    func trigger() async throws {
        let ledger = PostgreSQLWebAdLedger(try database.address)
        let ad = try ad([])
        try await ledger.issue([ad], at: now)
        #expect(try await tap(ledger, ad) == nil)
        #expect(throws: (any Error).self) {
            try database.sql("UPDATE skan.web_ad SET answered_at = NULL, answered_domain = NULL, answer = NULL")
        }
        #expect(try await tap(ledger, ad) == .nonceUsed)
    }
}
