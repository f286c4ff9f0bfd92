import Attribution
import AttributionHarness
import StrictJSON

/// A body within the limits that is designed to cost a server as much time as possible.
///
/// None may cost much more than a genuine postback, because anyone can send them without a signature.
struct CostlyBody: Sendable, CustomStringConvertible {
    /// A description of what makes it expensive.
    let name: String
    /// The bytes, at most ``Attribution/JSONObject/maximumLength``.
    let body: [UInt8]

    /// A description of what makes it expensive.
    var description: String {
        name
    }

    /// A genuine postback verified on P-256, for comparison.
    ///
    /// - Returns: A postback that Apple published.
    /// - Throws: ``Attribution/FieldProblem`` if it is missing.
    static func genuine() throws -> CostlyBody {
        CostlyBody(name: "a genuine postback", body: try sample("skan-4.0-web-fine"))
    }

    /// All costly bodies.
    ///
    /// - Returns: The bodies, with unique names.
    /// - Throws: ``Attribution/FieldProblem`` if a genuine postback to start from is missing.
    static func all() throws -> [CostlyBody] {
        try names() + strings() + structure() + fields() + signatures() + webSignatures()
    }

    // MARK: Kinds

    /// Names that are expensive to compare.
    private static func names() -> [CostlyBody] {
        let marks = "\u{0344}\u{0323}"
        let combining = (0..<128).map { "a" + String(repeating: marks, count: 14) + "\($0)" }
        let alike = (0..<128).map { number in
            String(repeating: "a", count: 58) + padded(number) + String(repeating: "b", count: 58)
        }
        let escaped = (0..<128).map { number in
            String(repeating: "\\u0344", count: 18) + padded(number)
        }
        // Same length and same ends as Apple's names.
        let likeOurs = (0..<128).map { "v\(padded($0))ons" }
        return [
            object("128 names of combining marks", combining),
            object("128 names of one length and with the same ends", alike),
            object("128 names of escaped combining marks", escaped),
            object("128 names like Apple's", likeOurs),
            CostlyBody(
                name: "a long name twice",
                body: Array("{\"\(text("\u{0344}", 8_000))\":1,\"\(text("\u{0344}", 8_000))\":2}".utf8)),
        ]
    }

    /// Strings that are expensive to decode.
    private static func strings() -> [CostlyBody] {
        [
            ("escaped slashes", text("\\/", room)), ("escaped quotes and line ends", text("\\\"\\n", room)),
            ("escaped letters", text("\\u0061", room)), ("escaped combining marks", text("\\u0344\\u0323", room)),
            ("escaped pairs of surrogates", text("\\ud83d\\ude00", room)),
            ("an escape every other byte", text("a\\t", room)), ("accents", text("é", room)),
            ("an accent every other letter", text("aé", room)), ("emoji", text("😀", room)),
            ("combining marks", text("\u{0344}\u{0323}", room)), ("plain text", text("a", room)),
        ].map { CostlyBody(name: "16 KiB of " + $0, body: Array("{\"a\":\"\($1)\"}".utf8)) }
    }

    /// Grammar that is expensive to check.
    private static func structure() -> [CostlyBody] {
        let deep = String(repeating: "[", count: 7) + String(repeating: "]", count: 7)
        return [
            ("numbers in an array", "[" + list("1", room)), ("empty arrays", "[" + list("[]", room)),
            ("empty objects", "[" + list("{}", room)),
            ("arrays as deep as allowed", "[" + list(deep.dropFirst().dropLast(), room)),
            ("objects with a name", "[" + list("{\"\":0}", room)), ("strings in an array", "[" + list("\"\"", room)),
            ("escaped strings in an array", "[" + list("\"\\n\"", room)),
            ("words in an array", "[" + list("null", room)),
            ("digits", text("9", room)), ("digits behind a point", "0." + text("9", room)),
            ("fractions", "[" + list("0.5e1", room)), ("white space", text(" ", room) + "1"),
            ("line ends", text("\r\n", room) + "1"),
        ].map { name, value in
            CostlyBody(name: "16 KiB of " + name, body: Array("{\"a\":\(value)\(value.first == "[" ? "]" : "")}".utf8))
        }
    }

    /// Invalid fields whose messages are expensive to make.
    private static func fields() throws -> [CostlyBody] {
        let genuine = try draft()
        func replaced(_ name: String, _ fields: [PostbackField], _ value: JSONValue) -> CostlyBody {
            var draft = genuine
            for field in fields {
                draft[field] = value
            }
            return CostlyBody(name: name, body: draft.body(signature: [UInt8](repeating: 1, count: 70)))
        }
        let signed = PostbackField.signed(in: .v4_0).filter { $0 != .version }
        let marks = text("\u{0344}\u{0323}", 1_200)
        return [
            replaced("a version of combining marks", [.version], .string("4.0" + text("\u{0344}\u{0323}", 15_000))),
            replaced("every field of combining marks", signed, .string(marks)),
            replaced("every field of control characters", signed, .string(text("\u{7F}", 200))),
            replaced("every field of private characters", signed, .string(text("\u{E000}", 1_200))),
            replaced("every field a boolean", signed, .bool(true)),
            replaced(
                "ids of 255 bytes of combining marks", [.adNetworkID, .transactionID],
                .string(text("\u{0344}", 254))),
            replaced(
                "a conversion value of combining marks", [.coarseConversionValue, .countryCode],
                .string("high" + text("\u{0344}\u{0323}", 7_000))),
            CostlyBody(name: "no field at all", body: Array("{\"version\":\"4.0\"}".utf8)),
            CostlyBody(name: "a string without an end", body: Array("{\"a\":\"\(text("a", room))".utf8)),
        ]
    }

    /// Genuine and forged postbacks with many unsigned fields.
    private static func signatures() throws -> [CostlyBody] {
        let genuine = try draft()
        guard case .skAdNetwork(let postback) = try ReceivedPostback(reading: sample("skan-4.0-web-fine")) else {
            return []
        }
        var crowded = genuine
        for number in 0..<(126 - genuine.fields.count) {
            crowded.fields.append(JSONField(name: "unknown-\(number)", value: .string(text("v", 100))))
        }
        var marked = genuine
        for number in 0..<(126 - genuine.fields.count) {
            marked.fields.append(JSONField(name: text("\u{0344}", 50) + "\(number)", value: .string(text("é", 50))))
        }
        return [
            CostlyBody(
                name: "a genuine postback with 113 unknown fields",
                body: crowded.body(signature: postback.attributionSignature)),
            CostlyBody(
                name: "a genuine postback with 113 names of combining marks",
                body: marked.body(signature: postback.attributionSignature)),
            CostlyBody(
                name: "a forged postback with 113 unknown fields",
                body: crowded.body(signature: Array(postback.attributionSignature.dropLast()) + [0x5A])),
            CostlyBody(
                name: "a signature of 12 KB", body: genuine.body(signature: [UInt8](repeating: 0x30, count: 11_500))),
        ]
    }

    /// JSON Web Signatures that are expensive to parse.
    private static func webSignatures() throws -> [CostlyBody] {
        let header = #"{"kid":"apple-cas-identifier/0","alg":"ES256"}"#
        func jws(_ name: String, header: String = header, payload: String) -> CostlyBody {
            let parts = [header, payload].map { Base64URL.encode(Array($0.utf8)) }
            let signature = Base64URL.encode([UInt8](repeating: 1, count: 64))
            return CostlyBody(name: name, body: Array("{\"jws-string\":\"\(parts[0]).\(parts[1]).\(signature)\"}".utf8))
        }
        let payload = [
            #""postback-identifier":"6aafb7a5""#, #""ad-network-identifier":"n""#, #""advertised-item-identifier":1"#,
            #""source-identifier":"39""#, #""conversion-type":"download""#, #""impression-type":"app-impression""#,
            #""did-win":true"#, #""postback-sequence-index":0"#,
        ].joined(separator: ",")
        let names = (0..<110).map { "\"\(text("\u{0344}", 90))\($0)\":1" }.joined(separator: ",")
        let room = 11_000
        return [
            CostlyBody(name: "a JWS of dots", body: Array("{\"jws-string\":\"\(text(".", Self.room))\"}".utf8)),
            CostlyBody(name: "a JWS of letters", body: Array("{\"jws-string\":\"\(text("e", Self.room))\"}".utf8)),
            jws("a JWS with a payload of 11 KB", payload: "{\(payload),\"a\":\"\(text("a", room))\"}"),
            jws("a JWS with a payload of accents", payload: "{\(payload),\"a\":\"\(text("é", room))\"}"),
            jws("a JWS with a payload of escapes", payload: "{\(payload),\"a\":\"\(text("\\u0344", room))\"}"),
            jws("a JWS with a payload of empty arrays", payload: "{\(payload),\"a\":[\(list("[]", room))]}"),
            jws("a JWS with a payload of names", payload: "{\(payload),\(names)}"),
            jws("a JWS with a header of names", header: "{\"alg\":\"ES256\",\(names)}", payload: "{}"),
            jws(
                "a JWS with a key id of combining marks",
                header: "{\"kid\":\"apple-cas-identifier/0\(text("\u{0344}\u{0323}", room))\",\"alg\":\"ES256\"}",
                payload: "{}"),
            jws(
                "a JWS with an algorithm of combining marks",
                header: "{\"kid\":\"a\",\"alg\":\"ES256\(text("\u{0344}\u{0323}", room))\"}", payload: "{}"),
        ]
    }

    // MARK: Helpers

    private static let room = JSONObject.maximumLength - 64

    /// As many copies of a text as fit in a number of bytes.
    private static func text(_ piece: String, _ bytes: Int) -> String {
        String(repeating: piece, count: bytes / piece.utf8.count)
    }

    private static func list(_ piece: some StringProtocol, _ bytes: Int) -> String {
        text(piece + ",", bytes - piece.utf8.count) + piece
    }

    private static func padded(_ number: Int) -> String {
        String(String(number + 1_000).dropFirst())
    }

    private static func object(_ name: String, _ names: [String]) -> CostlyBody {
        CostlyBody(name: name, body: Array("{\(names.map { "\"\($0)\":1" }.joined(separator: ","))}".utf8))
    }

    private static func draft() throws -> PostbackDraft {
        PostbackDraft(try SKAdNetworkPostback(reading: sample("skan-4.0-web-fine")))
    }

    private static func sample(_ name: String) throws -> [UInt8] {
        guard let sample = try AppleSignedPostback.all().first(where: { $0.name == name }) else {
            throw FieldProblem(field: "sample", found: "nothing", expected: name)
        }
        // On one line, as devices send it.
        return PostbackDraft(try SKAdNetworkPostback(reading: sample.body))
            .body(signature: try SKAdNetworkPostback(reading: sample.body).attributionSignature)
    }
}
