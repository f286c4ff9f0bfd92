import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import StrictJSON
import Testing

@Suite("AdAttributionKit in the ledger")
struct AdAttributionKitLedgerTests {
    let store: TemporaryStore
    let ledger: OpenLedger
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        ledger = try OpenLedger(store.path)
        postbacks = try Postbacks()
    }

    private func delivery(
        _ id: String, index: Int64 = 0, type: ConversionType = .download, isWinner: Bool = true,
        impressionType: String = "app-impression", unproven: [JSONField] = []
    ) throws -> Delivery {
        var draft = AdAttributionKitDraft(signed: [], unproven: unproven)
        draft[.postbackIdentifier] = .string(id)
        draft[.adNetworkIdentifier] = .string("n.skadnetwork")
        draft[.advertisedItemIdentifier] = .integer(525_463_029)
        draft[.sourceIdentifier] = .string("39")
        draft[.conversionType] = .string(type.rawValue)
        draft[.impressionType] = .string(impressionType)
        draft[.didWin] = .bool(isWinner)
        draft[.sequenceIndex] = .integer(index)
        return postbacks.delivery(try postbacks.standIn.sign(draft))
    }

    private func rows(_ dimensions: [ReportDimension], _ traffic: Traffic = .test) async throws -> [LedgerRow] {
        try await ledger.rows(dimensions, traffic)
    }

    @Test("Postbacks are identified by identifier and sequence index, and never equal one of SKAdNetwork")
    func identity() async throws {
        let recorded = Recording.recorded(.test)
        #expect(
            try ledger.record([
                delivery("a"), delivery("a", index: 1), delivery("A"), delivery("a"),
                postbacks.delivery(postbacks.draft(id: "a")),
            ]) == [recorded, recorded, recorded, .duplicate(.test), recorded])
        let installs = try await rows([.framework]).map { [$0.values[0], "\($0.counts[.installs])"] }
        #expect(Set(installs) == [["adattributionkit", "2"], ["skadnetwork", "1"]])
        #expect(try await rows([])[0].counts[.installs] == 3)
    }

    @Test("A copy with a different unsigned field is a conflict: kept, not counted")
    func conflict() async throws {
        let country = JSONField(name: "country-code", value: .string("DE"))
        #expect(
            try ledger.record([delivery("a"), delivery("a", unproven: [country])]) == [
                .recorded(.test), .conflict(.test),
            ])
        #expect(try await rows([.country]).map(\.values) == [[""]])
    }

    @Test("Re-engagements, installs and losing postbacks are counted separately")
    func kinds() async throws {
        _ = try ledger.record([
            delivery("1"), delivery("2", type: .redownload), delivery("3", type: .reengagement),
            delivery("3", index: 1, type: .reengagement), delivery("4", isWinner: false),
            delivery("5", unproven: [JSONField(name: "conversion-value", value: .integer(9))]),
        ])
        let sum = try await rows([])[0].counts
        #expect(sum[.postbacks] == 6 && sum[.installs] == 3 && sum[.redownloads] == 1 && sum[.newInstalls] == 2)
        #expect(sum[.reengagements] == 1 && sum[.laterReengagements] == 1 && sum[.losses] == 1)
        let types = try await rows([.conversionType]).map { [$0.values[0], "\($0.counts[.postbacks])"] }
        #expect(Set(types) == [["download", "3"], ["redownload", "1"], ["re-engagement", "2"]])
    }

    @Test("A new impression type is a value of its own, whatever its characters")
    func impressionTypes() async throws {
        let types = ["app-impression", "web|impression", "|", "|\u{301}", "app-impression|"]
        let deliveries = try types.enumerated().map { try delivery("\($0)", impressionType: $1) }
        #expect(try ledger.record(deliveries) == types.map { _ in .recorded(.test) })
        let rows = try await rows([.impressionType])
        #expect(Set(rows.map { $0.values[0] }) == Set(types) && rows.allSatisfy { $0.counts[.postbacks] == 1 })
        let verifier = postbacks.verifier
        #expect(try await ledger.differences(verifier) == [])
    }

    @Test(
        "Traits are read in one spelling alone",
        arguments: [
            ("adattributionkit|||true||0|download||absent", "app-impression"),
            ("adattributionkit|||true||0|download||absent|web", "web"),
            ("adattributionkit|||true||0|download||absent|a|b", "a|b"),
            ("adattributionkit|||true||0|download||absent|", nil),
            ("adattributionkit|||true||0|download||absent|app-impression", nil),
            ("skadnetwork|3.0|2|true|false||||absent", ""),
        ] as [(String, String?)])
    func traits(_ text: String, _ impressionType: String?) {
        let traits = PostbackTraits(text)
        #expect(traits?.value(.impressionType) == impressionType)
        #expect(traits.map { $0.description == text } ?? (impressionType == nil))
    }

    @Test("Development postbacks are counted separately from production and test postbacks")
    func development() async throws {
        let sample = try AppleSignedPostback.all().first { $0.name == "aak-development-reengagement" }
        let body = try #require(sample).body
        let development = postbacks.delivery(body)
        #expect(
            try ledger.record([development, development, try postbacks.genuine()]) == [
                .recorded(.development), .duplicate(.development), .recorded(.apple),
            ])
        #expect(try await rows([.framework], .apple).map(\.values) == [["skadnetwork"]])
        #expect(try await rows([.framework], .test).isEmpty)
        let row = try await rows([.conversionType, .marketplace, .country, .interactionType], .development)
        #expect(row.map(\.values) == [["re-engagement", "com.apple.AppStore", "US", "click"]])
        #expect(row[0].counts[.reengagementConversion(.fine(24))] == 1 && row[0].counts[.installs] == 0)
        let verifier = postbacks.verifier
        #expect(try await ledger.differences(verifier) == [])
    }
}
