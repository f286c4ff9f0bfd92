import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("The ledger of web ads")
struct WebAdLedgerTests {
    let store: TemporaryStore
    let signer: ImpressionSigner

    init() throws {
        store = try TemporaryStore()
        signer = try ImpressionSigner(.generate(.p256))
    }

    private static let day: Int64 = 86_400_000
    private static let noon = UnixMilliseconds(rawValue: Postbacks.noon)
    private let now = noon

    private var path: String {
        SQLiteWebAdLedger.path(besideStore: store.path)
    }

    private func ad(_ domains: [String] = ["example.com"], issuedAt: UnixMilliseconds = noon) throws -> WebAd {
        var generator = SystemRandomNumberGenerator()
        return try WebAdRequest(
            adNetworkID: "Example123.skadnetwork", itunesItemID: 10_738_027_756, sourceIdentifier: 3_120,
            sourceDomains: domains, attributionDestination: "https://network.example"
        ).checked(nonce: Nonce(using: &generator), issuedAt: issuedAt).ad
    }

    private func tap(
        _ ledger: SQLiteWebAdLedger,
        _ ad: WebAd,
        on domain: String = "example.com",
        at time: UnixMilliseconds = noon
    ) async throws -> Result<SignedSKAdNetworkImpression, WebAdRefusal> {
        let tap = WebAdTap(nonce: ad.nonce, sourceDomain: try #require(SourceDomain(domain)))
        let answers = try ledger.answer([ReceivedTap(tap, at: time)]) { [signer] impressions in
            impressions.map { impression in Result { try signer.sign(impression) } }
        }
        switch try #require(answers.first) {
        case .signed(let signed): return .success(signed)
        case .refused(let refusal): return .failure(refusal)
        case .unsigned(let error): throw error
        }
    }

    private func refusal(_ result: Result<SignedSKAdNetworkImpression, WebAdRefusal>) -> ErrorCode? {
        guard case .failure(let refusal) = result else {
            return nil
        }
        return refusal.code
    }

    @Test("A commit reaches the disk before it returns")
    func durability() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        #expect(try ledger.durabilitySettings() == ["journal_mode": "wal", "synchronous": "2"])
    }

    @Test("A tap is answered once, with the ad's content and the time of the tap")
    func once() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let ad = try ad()
        try await ledger.issue([ad], at: now)
        let signed = try await tap(ledger, ad, at: now.advanced(by: 5)).get()
        #expect(signed.impression.adNetworkID == ad.content.adNetworkID)
        #expect(signed.impression.itunesItemID == ad.content.itunesItemID)
        #expect(signed.impression.campaign.value == 3_120)
        #expect(signed.impression.nonce == ad.nonce)
        #expect(signed.impression.source == SourceDomain("example.com").map { .domain($0) })
        #expect(signed.impression.fidelityType == .storeKitRendered)
        #expect(signed.impression.timestamp == now.advanced(by: 5))
        #expect(try await refusal(tap(ledger, ad)) == .nonceUsed)
    }

    @Test("Of 64 concurrent taps one is answered and 63 are refused")
    func concurrency() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let ad = try ad()
        try await ledger.issue([ad], at: now)
        let codes = try await withThrowingTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<64 {
                group.addTask { try await refusal(tap(ledger, ad)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 1)
        #expect(codes.filter { $0 == .nonceUsed }.count == 63)
    }

    @Test("After reopening, ads are known and answered nonces stay answered")
    func reopening() async throws {
        let ad = try ad()
        let issuing = try SQLiteWebAdLedger(path: path)
        try await issuing.issue([ad], at: now)
        try issuing.close()
        let answering = try SQLiteWebAdLedger(path: path)
        _ = try await tap(answering, ad).get()
        try answering.close()
        let after = try SQLiteWebAdLedger(path: path)
        #expect(try await refusal(tap(after, ad)) == .nonceUsed)
    }

    @Test("Of eight that open the file at the same time, one becomes its owner")
    func firstOpening() async throws {
        let path = path
        let owners = await withTaskGroup(of: SQLiteWebAdLedger?.self) { group in
            for _ in 0..<8 {
                group.addTask { try? SQLiteWebAdLedger(path: path) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }.compactMap(\.self)
        #expect(owners.count == 1)
        try await owners.first?.issue([try ad()], at: now)
    }

    @Test("Another domain is refused without using up the nonce; domains match exactly")
    func domains() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let ad = try ad(["example.com", "news.example.org"])
        try await ledger.issue([ad], at: now)
        for foreign in ["foreign.example", "www.example.com", "Example.com", "example.org", "example.com."] {
            #expect(try await refusal(tap(ledger, ad, on: foreign)) == .domainNotAllowed)
        }
        #expect(try await refusal(tap(ledger, ad, on: "news.example.org")) == nil)
        #expect(try await refusal(tap(ledger, ad, on: "example.com")) == .nonceUsed)
    }

    @Test("An ad without domains may be shown on any")
    func anyDomain() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let ad = try ad([])
        try await ledger.issue([ad], at: now)
        let signed = try await tap(ledger, ad, on: "anything.example").get()
        #expect(signed.impression.source == SourceDomain("anything.example").map { .domain($0) })
    }

    static let lastMoments: [(Int64, ErrorCode?)] = [(-1, nil), (0, .nonceExpired), (1, .nonceExpired)]

    @Test("An ad is valid until its last millisecond", arguments: lastMoments)
    func expiry(_ offset: Int64, _ code: ErrorCode?) async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let ad = try ad()
        try await ledger.issue([ad], at: now)
        #expect(try await refusal(tap(ledger, ad, at: ad.expiresAt.advanced(by: offset))) == code)
    }

    @Test("An ad is kept for 30 days after it expires, and then deleted", arguments: [(-1, true), (0, false)])
    func purge(_ offset: Int64, _ isRemembered: Bool) async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let ad = try ad()
        try await ledger.issue([ad], at: now)
        let later = ad.expiresAt.advanced(by: 30 * Self.day + offset)
        try await ledger.issue([try self.ad(issuedAt: later)], at: later)
        #expect(try await refusal(tap(ledger, ad, at: later)) == (isRemembered ? .nonceExpired : .nonceUnknown))
    }

    @Test("A nonce that was not issued is unknown")
    func unknown() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        #expect(try await refusal(tap(ledger, try ad())) == .nonceUnknown)
    }

    @Test("A nonce is issued once, and a batch of ads completely or not at all")
    func reissued() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let (first, second) = (try ad(), try ad())
        try await ledger.issue([first], at: now)
        _ = try await tap(ledger, first).get()
        await #expect(throws: (any Error).self) {
            try await ledger.issue([second, first], at: now)
        }
        #expect(try await refusal(tap(ledger, second)) == .nonceUnknown)
        #expect(try await refusal(tap(ledger, first)) == .nonceUsed)
    }

    @Test("The schema refuses to reset a used nonce")
    func trigger() async throws {
        let ledger = try SQLiteWebAdLedger(path: path)
        let ad = try ad()
        try await ledger.issue([ad], at: now)
        _ = try await tap(ledger, ad).get()
        #expect(throws: (any Error).self) {
            try SQLite.execute("UPDATE web_ad SET answered_at = NULL, answered_domain = NULL", path)
        }
        #expect(try await refusal(tap(ledger, ad)) == .nonceUsed)
    }

    @Test("Errors name a file that is not a store and a folder that does not exist")
    func badFiles() throws {
        try Data(repeating: 65, count: 4_096).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.notAStore(path: path)) { try SQLiteWebAdLedger(path: path) }
        #expect(throws: StoreError.noFolder(path: "/nowhere-at-all/w", folder: "/nowhere-at-all")) {
            try SQLiteWebAdLedger(path: "/nowhere-at-all/w")
        }
    }
}
