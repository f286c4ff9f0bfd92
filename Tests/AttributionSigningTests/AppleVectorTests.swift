import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import Testing

@Suite("Published postbacks, as files")
struct AppleVectorTests {
    static let files = (try? Repository.files(in: "Tests/Fixtures/vectors", suffix: ".json")) ?? []
    static let skAdNetwork = files.filter { $0.contains("/skan-") }
    static let genuine = skAdNetwork.filter { (try? vector($0))?.isGenuine == true }

    static func vector(_ file: String) throws -> AppleSignedPostback {
        try AppleSignedPostback(file: Repository.bytes(file))
    }

    let verifier: PostbackVerifier

    init() throws {
        verifier = try PostbackVerifier()
    }

    @Test("The files are there")
    func present() {
        #expect(Self.skAdNetwork.count == 8)
        #expect(Self.genuine.count == 7)
    }

    @Test("Each is judged as its file says", arguments: skAdNetwork)
    func judged(_ file: String) throws {
        let vector = try Self.vector(file)
        switch verifier.judge(vector.body) {
        case .verified(let verified):
            #expect(vector.isGenuine)
            #expect(verified.provenance == .apple)
        case .rejected(let rejection, let body):
            #expect(!vector.isGenuine)
            #expect(rejection.code == .invalidSignature)
            #expect(body == vector.body)
        }
    }

    @Test("Any change to any signed field is refused", arguments: genuine)
    func tampered(_ file: String) throws {
        let postback = try ReceivedPostback(reading: Self.vector(file).body)
        let changes = Tampering.all(of: postback)
        let signed = PostbackField.signed(in: postback.version)
            .filter { field in field != .version && postback.fields.contains { $0.name == field.rawValue } }
        #expect(Set(changes.map(\.field)).isSuperset(of: signed))
        for change in changes {
            guard case .rejected(let rejection, _) = verifier.judge(change.body) else {
                Issue.record("accepts \(change)")
                continue
            }
            #expect(rejection.code == .invalidSignature, "\(change)")
        }
    }

    @Test(
        "A version in place of another is refused: order and key differ", arguments: genuine,
        ["2.0", "2.1", "2.2", "3.0"])
    func otherVersion(_ file: String, _ version: String) throws {
        let postback = try ReceivedPostback(reading: Self.vector(file).body)
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

    @Test("Fields nobody signs do not decide", arguments: genuine)
    func unsigned(_ file: String) throws {
        var draft = PostbackDraft(try ReceivedPostback(reading: Self.vector(file).body))
        let signature = try ReceivedPostback(reading: Self.vector(file).body).attributionSignature
        draft[.coarseConversionValue] = nil
        draft[.conversionValue] = .integer(7)
        draft.fields.append(JSONField(name: "country-code", value: .string("DE")))
        draft.fields.reverse()
        guard case .verified(let verified) = verifier.judge(draft.body(signature: signature, escapesSlashes: true))
        else {
            Issue.record("refused")
            return
        }
        #expect(verified.postback.conversion == .fine(7))
    }

    @Test(
        "A postback of AdAttributionKit is kept as of an unknown version",
        arguments: files.filter { $0.contains("/aak-") })
    func otherFramework(_ file: String) throws {
        guard case .rejected(let rejection, _) = verifier.judge(try Self.vector(file).body) else {
            Issue.record("verified")
            return
        }
        #expect(rejection.code == .unknownVersion)
    }

    @Test("What is built in is what the files say")
    func builtIn() throws {
        let builtIn = try AppleSignedPostback.all()
        #expect(Set(builtIn.map(\.name)) == Set(try Self.skAdNetwork.map { try Self.vector($0).name }))
        for sample in builtIn {
            let file = try Self.vector("Tests/Fixtures/vectors/\(sample.name).json")
            #expect(file.body == sample.body && file.isGenuine == sample.isGenuine)
        }
    }
}
