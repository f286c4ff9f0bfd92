import Attribution
import AttributionSigning
import StrictJSON
import Testing

@Suite("Signing orders in batches")
struct ImpressionBatchTests {
    static let time = UnixMilliseconds(rawValue: 1_676_057_605_705)

    static func order(_ item: Int, _ version: String = "4.0") -> String {
        let campaign = version == "4.0" ? "source-identifier" : "campaign-id"
        return #"{"forms": ["storekit-rendered"], "version": "\#(version)", "ad-network-id": "n", "itunes-item-id": "#
            + #"\#(item), "source-app-id": 1, "\#(campaign)": 1}"#
    }

    static func answers(
        _ text: String, from first: Int = 1, _ signer: (Impression) throws -> ImpressionSigner
    ) async throws -> [JSONObject] {
        var generator = SystemRandomNumberGenerator()
        let answers = try await ImpressionBatch(reading: Array(text.utf8), from: first)
            .answers(at: time, using: &generator, signer: signer)
        let lines = answers.text.split(separator: UInt8(ascii: "\n"))
        #expect(answers.signed + answers.refusals.count == lines.count)
        return try lines.map { try JSONObject(reading: $0, limit: 65536) }
    }

    @Test("Signatures that verified together verify one by one, with tables and without", arguments: [false, true])
    func verified(_ withTables: Bool) async throws {
        let key = try NetworkPrivateKey.generate(.p256)
        var signer = try ImpressionSigner(key)
        if withTables {
            try signer.prepareTables()
        }
        let text = (1...300).map { Self.order($0) }.joined(separator: "\n")
        let answers = try await Self.answers(text) { _ in signer }
        #expect(answers.count == 300)
        let publicKey = try key.publicKey()
        for (index, answer) in answers.enumerated() {
            #expect(answer["line"] == .integer(Int64(index + 1)))
            let elements = try #require(answer["impressions"]?.elements())
            guard case .nested(let first) = elements.first,
                case .nested(let impression) = try JSONObject(reading: first.utf8)["impression"]
            else {
                Issue.record("no impression")
                return
            }
            let values = try JSONObject(reading: impression.utf8)
            guard case .string(let nonce) = values["nonce"],
                case .string(let signature) = values["attribution-signature"]
            else {
                Issue.record("no signature")
                return
            }
            let signed = ["4.0", "n", "1", "\(index + 1)", nonce, "1", "1", "1676057605705"]
            let bytes = try #require(Base64.decode(signature))
            #expect(publicKey.verifies(bytes, forBytes: Array(signed.joined(separator: "\u{2063}").utf8)))
        }
    }

    @Test("Each refused line has its number and reason, and the others are signed")
    func refusals() async throws {
        let new = try ImpressionSigner(.generate(.p256))
        let old = try ImpressionSigner(.generate(.p192))
        let lines = [Self.order(1), "", "{", Self.order(3, "2.0"), Self.order(4), Self.order(5, "3.0"), " \t\r"]
        struct Refused: CodedError {
            let code = ErrorCode.noKey
            let message = "no"
        }
        let answers = try await Self.answers(lines.joined(separator: "\n"), from: 100) { impression in
            guard case .skAdNetwork(let impression) = impression, impression.itunesItemID.value != 4 else {
                throw Refused()
            }
            return impression.version == .v4_0 ? new : old
        }
        #expect(answers.map { $0["line"] } == [100, 102, 103, 104, 105].map { .integer($0) })
        #expect(
            answers.map { $0["reason"] }
                == [nil, "not-json", nil, "no-key", "unusable-key"].map { $0.map { .string($0) } })
    }

    @Test("A line that was not kept as a whole is refused with its whole length", arguments: ["{}", " "])
    func omitted(_ kept: String) {
        let batch = ImpressionBatch(reading: Array((kept + "\n\n").utf8), from: 7, omitting: 3_000_000)
        let problem = JSONError.tooLong(count: 3_000_000 + kept.utf8.count, limit: ImpressionBatch.orderLimit)
        #expect(batch.count == 1 && batch.orders.first?.line == 7)
        #expect(batch.orders.first.map { $0.order.map(\.signatureCount) } == .failure(.notJSON(problem)))
    }

    @Test("A request asks for at most two thousand signatures", arguments: [(2, true), (3, false)])
    func signatures(_ last: Int, _ isRight: Bool) throws {
        let forms = [#""storekit-rendered""#, #""view-through""#, #""adattributionkit""#]
        func order(_ count: Int) -> String {
            Self.order(1).replacing(forms[0], with: forms.prefix(count).joined(separator: ", "))
        }
        let orders = Array(repeating: order(3), count: 666) + [order(last)]
        let refusal = Result { () throws(SigningRefusal) in
            try ImpressionBatch(readingRequest: Array(orders.joined(separator: "\n").utf8))
        }
        switch refusal {
        case .success(let batch): #expect(isRight && batch.count == 667)
        case .failure(let refusal):
            #expect(!isRight && refusal.description.contains("found orders for 2001 signatures, expected at most 2000"))
        }
    }

    @Test(
        "A request has at least one order and at most a thousand",
        arguments: [(0, false), (1, true), (1000, true), (1001, false)])
    func limits(_ count: Int, _ isRight: Bool) throws {
        for end in ["", "\n", String(repeating: "\n \r\n", count: 1000)] {
            let text = Array(repeating: "{}", count: count).joined(separator: "\n") + end
            let refusal = Result { () throws(SigningRefusal) in try ImpressionBatch(readingRequest: Array(text.utf8)) }
            switch refusal {
            case .success(let batch): #expect(isRight && batch.count == count)
            case .failure(let refusal):
                #expect(!isRight && refusal.description.contains("expected at most 1000 orders in a request"))
            }
        }
    }
}
