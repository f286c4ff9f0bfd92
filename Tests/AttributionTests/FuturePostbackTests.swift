import Attribution
import StrictJSON
import Testing

@Suite("Postbacks that a later release may verify")
struct FuturePostbackTests {
    private static func code(_ body: [UInt8]) -> PostbackRejection.Code {
        do throws(PostbackRejection) {
            // Of a JWS whose form is right, the verifier knows whether there is a key with its kid.
            guard case .unknown(let postback) = try PostbackReading(body),
                case .adAttributionKit(let keyID) = postback.signer
            else {
                throw .malformed([])
            }
            return PostbackKeyID.known.contains(keyID) ? .malformed : .unknownKey
        } catch {
            return error.code
        }
    }

    @Test(
        "An unknown version with a signature is one, whatever else is wrong",
        arguments: [
            (#""version":"5.0","attribution-signature":"AAAA""#, .unknownVersion),
            (#""version":"","attribution-signature":"AAAA""#, .unknownVersion),
            (#""version":"5.0","attribution-signature":"not base64""#, .unknownVersion),
            (#""version":"5.0","attribution-signature":"AAAA","app-id":"1","ad-network-id":7"#, .unknownVersion),
            (#""version":"5.0","attribution-signature":"AAAA","jws-string":"a.b.c""#, .unknownVersion),
            (#""version":"5.0","attribution-signature":"""#, .malformed),
            (#""version":"5.0","attribution-signature":1"#, .malformed),
            (#""version":"5.0","attribution-signature":null"#, .malformed), (#""version":"5.0""#, .malformed),
            (#""version":5,"attribution-signature":"AAAA""#, .malformed),
            (#""version":null,"attribution-signature":"AAAA""#, .malformed),
        ] as [(String, PostbackRejection.Code)])
    func versions(_ members: String, _ code: PostbackRejection.Code) {
        #expect(Self.code(Array("{\(members)}".utf8)) == code)
    }

    @Test("Without a signature, both the version and the signature are named")
    func unsigned() throws {
        let rejection = #expect(throws: PostbackRejection.self) {
            try PostbackReading(Array(#"{"version":"5.0"}"#.utf8))
        }
        #expect(
            rejection?.description
                == #"version: found "5.0", expected one of 1.0, 2.0, 2.1, 2.2, 3.0, 4.0; "#
                + "attribution-signature: found nothing, expected a string in standard base64 with padding")
    }

    private static let known = "apple-cas-identifier/0"

    /// Headers, payloads and signatures in base64url, and what they are.
    static let tokens: [(String, String, String, PostbackRejection.Code)] = [
        // An unknown key, whatever else is wrong.
        (#"{"alg":"ES256","kid":"apple-cas-identifier/1"}"#, "{}", whole, .unknownKey),
        (#"{"alg":"ES256","kid":"another"}"#, "[]", whole, .unknownKey),
        (#"{"alg":"ES256","kid":""}"#, "", whole, .unknownKey),
        (#"{"alg":"ES384","kid":"apple-cas-identifier/1"}"#, "{}", long, .unknownKey),
        (#"{"kid":"apple-cas-identifier/1"}"#, "{}", "AA", .unknownKey),
        (#"{"alg":"ES256","crit":["b64"],"kid":"apple-cas-identifier/1"}"#, "{}", whole, .unknownKey),
        // A known key under an algorithm or with extensions that are not known.
        (#"{"alg":"ES384","kid":"\#(known)"}"#, "{}", long, .unknownKey),
        (#"{"alg":"ML-DSA-44","kid":"\#(known)"}"#, "{}", whole, .unknownKey),
        (#"{"alg":"ES256","crit":["b64"],"kid":"\#(known)"}"#, "{}", whole, .unknownKey),
        // What anybody could make, and what cannot be a JWS.
        (#"{"alg":"none","kid":"\#(known)"}"#, "{}", whole, .malformed),
        (#"{"alg":"NONE","kid":"\#(known)"}"#, "{}", whole, .malformed),
        (#"{"alg":"HS256","kid":"\#(known)"}"#, "{}", whole, .malformed),
        (#"{"alg":"","kid":"\#(known)"}"#, "{}", whole, .malformed),
        (#"{"kid":"\#(known)"}"#, "{}", whole, .malformed),
        (#"{"alg":"ES256","kid":"\#(known)"}"#, "{}", long, .malformed),
        (#"{"alg":"ES256","kid":"apple-cas-identifier/1"}"#, "{}", "", .malformed),
        (#"{"alg":"ES256","kid":7}"#, "{}", whole, .malformed), (#"{"alg":"ES256"}"#, "{}", whole, .malformed),
        (#"["apple-cas-identifier/1"]"#, "{}", whole, .malformed), ("kid", "{}", whole, .malformed),
    ]

    private static let whole = Base64URL.encode([UInt8](repeating: 1, count: 64))
    private static let long = Base64URL.encode([UInt8](repeating: 1, count: 96))

    @Test("An unknown key with a signature is one, whatever else is wrong", arguments: tokens)
    func keys(_ header: String, _ payload: String, _ signature: String, _ code: PostbackRejection.Code) {
        let body = AdAttributionKitPostbackTests.body(header: header, payload: payload, signature: signature)
        #expect(Self.code(body) == code)
    }

    @Test("The description does not say whether the body was kept")
    func words() {
        for rejection in [PostbackRejection.unknownVersion("\"5.0\""), .unknownKey("\"a\"")] {
            #expect(!rejection.description.contains("kept"))
        }
    }
}
