import Attribution
import AttributionHarness
import AttributionStore
import Testing

@Suite("Postbacks of other networks")
struct ForeignTrafficTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func installs(_ ledger: OpenLedger, _ traffic: Traffic) async throws -> Int64 {
        try await ledger.totals(traffic)[.postbacks]
    }

    @Test("They are recorded and counted separately if own networks are named, in any letter case")
    func foreign() async throws {
        let genuine = try postbacks.genuine()
        guard case .verified(let verified) = genuine.judgement else {
            Issue.record("the published postback does not verify")
            return
        }
        let network = verified.postback.adNetworkID.text
        let cases: [([String], Traffic)] = [
            ([], .apple), ([network], .apple), ([network.uppercased()], .apple), (["other.skadnetwork"], .foreign),
        ]
        for (own, traffic) in cases {
            let store = try TemporaryStore()
            let ledger = try OpenLedger(store.path, networks: OwnNetworks(own))
            #expect(try ledger.record([genuine, genuine]) == [.recorded(traffic), .duplicate(traffic)])
            #expect(try await installs(ledger, .apple) == (traffic == .apple ? 1 : 0))
            #expect(try await installs(ledger, .foreign) == (traffic == .foreign ? 1 : 0))
            #expect(try await ledger.differences(postbacks.verifier) == [])
        }
    }

    @Test("The traffic is stored: a copy has that of the first, and recount agrees under other settings")
    func stored() async throws {
        let genuine = try postbacks.genuine()
        let first = try OpenLedger(store.path, networks: OwnNetworks(["other.skadnetwork"]))
        _ = try first.record([genuine])
        try first.close()
        let second = try OpenLedger(store.path)
        #expect(try second.record([genuine]) == [.duplicate(.foreign)])
        #expect(try await second.differences(postbacks.verifier) == [])
    }

    @Test("Test traffic is never foreign")
    func test() throws {
        let ledger = try OpenLedger(store.path, networks: OwnNetworks(["other.skadnetwork"]))
        #expect(try ledger.record([postbacks.delivery(postbacks.draft(id: "a"))]) == [.recorded(.test)])
    }
}
