import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("Published postbacks from files")
struct AppleVectorTests {
    static let files = (try? Repository.files(in: "Tests/Fixtures/vectors", suffix: ".json")) ?? []
    static let genuine = files.filter { (try? vector($0))?.isGenuine == true }
    static let skAdNetwork = genuine.filter { $0.contains("/skan-") }

    static func vector(_ file: String) throws -> AppleSignedPostback {
        try AppleSignedPostback(file: Repository.bytes(file))
    }

    let verifier: PostbackVerifier

    init() throws {
        verifier = try PostbackVerifier()
    }

    @Test("The files exist")
    func present() {
        #expect(Self.files.count == 10)
        #expect(Self.genuine.count == 8)
        #expect(Self.skAdNetwork.count == 7)
    }

    @Test("Each gets the verdict in its file", arguments: files)
    func judged(_ file: String) throws {
        let vector = try Self.vector(file)
        switch verifier.judge(vector.body) {
        case .verified(let verified):
            #expect(vector.isGenuine)
            #expect(verified.provenance == (vector.name.contains("development") ? .development : .apple))
        case .rejected(let rejection, let body):
            #expect(!vector.isGenuine)
            #expect(rejection.code == .invalidSignature)
            #expect(body == vector.body)
        case .undecided(let reason, _):
            Issue.record("undecided: \(reason)")
        }
    }

    @Test("Any change to a signed field, and any moved value, is detected", arguments: genuine)
    func tampered(_ file: String) throws {
        let postback = try ReceivedPostback(reading: Self.vector(file).body)
        let signed: [PostbackField] =
            switch postback {
            case .skAdNetwork(let postback):
                PostbackField.signed(in: postback.version)
                    .filter { field in field != .version && postback.fields.contains { $0.name == field.rawValue } }
            case .adAttributionKit(let postback):
                try postback.signedFields.map { try #require(PostbackField(rawValue: $0.name)) }
            }
        #expect(Set(Tampering.changes(of: postback).map(\.field)).isSuperset(of: signed))
        MovedValue.expectDetected(postback, by: verifier)
    }

    @Test(
        "A version in place of another is refused: order and key differ", arguments: skAdNetwork,
        ["2.0", "2.1", "2.2", "3.0"])
    func otherVersion(_ file: String, _ version: String) throws {
        let postback = try SKAdNetworkPostback(reading: Self.vector(file).body)
        var draft = PostbackDraft(postback)
        try #require(draft[.version] != nil)
        guard draft[.version] != .string(version) else {
            return
        }
        draft[.version] = .string(version)
        guard case .rejected = verifier.judge(draft.body(signature: postback.attributionSignature)) else {
            Issue.record("verifies as \(version)")
            return
        }
    }

    @Test("Unsigned fields do not affect the verdict", arguments: skAdNetwork)
    func unsigned(_ file: String) throws {
        let postback = try SKAdNetworkPostback(reading: Self.vector(file).body)
        var draft = PostbackDraft(postback)
        draft[.coarseConversionValue] = nil
        draft[.conversionValue] = .integer(7)
        draft.fields.append(JSONField(name: "country-code", value: .string("DE")))
        draft.fields.reverse()
        let body = draft.body(signature: postback.attributionSignature)
            .flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
        guard case .verified(let verified) = verifier.judge(body), case .skAdNetwork(let read) = verified.postback
        else {
            Issue.record("refused")
            return
        }
        #expect(read.conversion == .fine(7))
        #expect(read.countryCode?.text == "DE")
    }

    @Test("The development postback has the values that Apple documents")
    func development() throws {
        let vector = try Self.vector("Tests/Fixtures/vectors/aak-development-reengagement.json")
        guard case .verified(let verified) = verifier.judge(vector.body),
            case .adAttributionKit(let postback) = verified.postback
        else {
            Issue.record("refused")
            return
        }
        #expect(verified.keyName == "Apple's development key apple-development-identifier/1")
        #expect(postback.keyID == .developerSettings)
        #expect(postback.conversionType == .reengagement)
        #expect(postback.advertisedItemID.value == 10_738_027_756)
        #expect(postback.publisherItemID?.value == 0)
        #expect(postback.marketplaceIdentifier?.text == "com.apple.AppStore")
        #expect(postback.sourceIdentifier.digits == "1234")
        #expect(postback.conversion == .fine(24))
        #expect(postback.adInteractionType == .click)
        #expect(postback.countryCode?.text == "US")
        #expect(postback.unprovenFields.map(\.name) == ["conversion-value", "ad-interaction-type", "country-code"])
    }

    @Test("The built-in keys are those in the files")
    func builtIn() throws {
        let builtIn = try AppleSignedPostback.all()
        #expect(Set(builtIn.map(\.name)) == Set(try Self.files.map { try Self.vector($0).name }))
        for sample in builtIn {
            let file = try Self.vector("Tests/Fixtures/vectors/\(sample.name).json")
            #expect(file.body == sample.body && file.isGenuine == sample.isGenuine)
        }
    }
}
