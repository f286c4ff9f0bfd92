import Attribution
import AttributionSigning
import AttributionStore
import Testing

/// The rules of taps, which the web ads of every kind of store obey.
@Suite("Taps on web ads, in every store", .serialized)
struct WebAdConformanceTests {
    let store: TemporaryStore
    let signer: ImpressionSigner

    init() throws {
        store = try TemporaryStore()
        signer = try ImpressionSigner(.generate(.p256))
    }

    private static let noon = UnixMilliseconds(rawValue: Postbacks.noon)
    private static let day: Int64 = 86_400_000
    private static let keyless = "keyless.skadnetwork"

    private func ads(
        _ count: Int, _ domains: [String] = ["example.com"], network: String = "example123.skadnetwork",
        issuedAt: UnixMilliseconds = noon
    ) throws -> [WebAd] {
        var generator = SystemRandomNumberGenerator()
        return try (0..<count).map { _ in
            try WebAdRequest(
                adNetworkID: network, itunesItemID: 10_738_027_756, sourceIdentifier: 3_120, sourceDomains: domains,
                attributionDestination: "https://network.example"
            ).checked(nonce: Nonce(using: &generator), issuedAt: issuedAt).ad
        }
    }

    private static func tap(_ ad: WebAd, on domain: String = "example.com") throws -> ReceivedTap {
        let tap = WebAdTap(nonce: ad.nonce, sourceDomain: try #require(SourceDomain(domain)))
        return ReceivedTap(tap, at: noon)
    }

    /// Answers taps with signatures for every network but one, and returns a word for each.
    private static func answer(
        _ ledger: any WebAdLedger, _ taps: [ReceivedTap], _ signer: ImpressionSigner
    ) throws -> [String] {
        let answers = try ledger.answer(taps) { impressions in
            impressions.map { impression in
                Result {
                    guard impression.adNetworkID.text != keyless else {
                        throw KeyProblem.noKey(adNetworkID: keyless, version: .v4_0)
                    }
                    return try signer.sign(impression)
                }
            }
        }
        #expect(answers.count == taps.count)
        return zip(taps, answers).map { received, answer in
            switch answer {
            case .signed(let signed):
                signed.impression.nonce == received.tap.nonce
                    && signed.impression.source == .some(.domain(received.tap.sourceDomain))
                    ? "signed" : "another tap's"
            case .refused(let refusal): refusal.code.rawValue
            case .unsigned(is KeyProblem): "no key"
            case .unsigned(let error): "\(error)"
            }
        }
    }

    @Test("Of many taps of one nonce one is signed, in one group and in many at once", arguments: LedgerFactory.all)
    func once(_ factory: LedgerFactory) async throws {
        let ledger = try factory.openWebAds(store.path)
        let ads = try ads(40)
        try await ledger.issue(ads, at: Self.noon)
        let group = try Self.answer(ledger, Array(repeating: try Self.tap(ads[0]), count: 64), signer)
        #expect(group == ["signed"] + Array(repeating: "nonce-used", count: 63))
        let taps = try ads.dropFirst().map { try Self.tap($0) }
        let words = try await withThrowingTaskGroup(of: [String].self) { tasks in
            for number in 0..<8 {
                // Each in an order of its own, and some of them twice.
                let own: [ReceivedTap] = Array(taps[(number * 4)...]) + Array(taps[..<(number * 5)])
                tasks.addTask { [signer] in
                    try Self.answer(ledger, own, signer)
                }
            }
            var counts: [String: Int] = [:]
            for try await answers in tasks {
                for word in answers { counts[word, default: 0] += 1 }
            }
            return counts
        }
        #expect(words["signed"] == taps.count)
        #expect(Set(words.keys) == ["signed", "nonce-used"])
    }

    @Test("Each tap of a group is decided by itself, and refusals use up nothing", arguments: LedgerFactory.all)
    func decisions(_ factory: LedgerFactory) async throws {
        let ledger = try factory.openWebAds(store.path)
        let (mine, anywhere) = (try ads(2), try ads(1, [])[0])
        let expired = try ads(1, issuedAt: Self.noon.advanced(by: -2 * Self.day))[0]
        let (keyless, unknown) = (try ads(1, network: Self.keyless)[0], try ads(1)[0])
        try await ledger.issue(mine + [anywhere, expired, keyless], at: Self.noon)
        let rows: [(WebAd, String, String)] = [
            (unknown, "example.com", "nonce-unknown"), (mine[0], "example.org", "domain-not-allowed"),
            (mine[0], "example.com", "signed"), (mine[0], "example.org", "nonce-used"),
            (expired, "example.com", "nonce-expired"), (keyless, "example.com", "no key"),
            (keyless, "example.com", "no key"), (anywhere, "example.net", "signed"),
            (mine[1], "www.example.com", "domain-not-allowed"), (unknown, "example.com", "nonce-unknown"),
        ]
        let words = try Self.answer(ledger, try rows.map { try Self.tap($0.0, on: $0.1) }, signer)
        #expect(words == rows.map { $0.2 })
        // What was not signed can still be used.
        #expect(
            try Self.answer(ledger, [try Self.tap(mine[1]), try Self.tap(mine[0])], signer) == ["signed", "nonce-used"])
    }

    @Test("A group without a signature changes nothing, and may be tapped again", arguments: LedgerFactory.all)
    func unsigned(_ factory: LedgerFactory) async throws {
        let ledger = try factory.openWebAds(store.path)
        let ads = try ads(3)
        try await ledger.issue(ads, at: Self.noon)
        let taps = try ads.map { try Self.tap($0) }
        let answers = try ledger.answer(taps) { impressions in
            impressions.map { _ in .failure(SignerError.signatureDoesNotVerify) }
        }
        for answer in answers {
            guard case .unsigned(SignerError.signatureDoesNotVerify) = answer else {
                Issue.record("found \(answer)")
                return
            }
        }
        #expect(try Self.answer(ledger, taps, signer) == ["signed", "signed", "signed"])
    }
}
