import Attribution
import StrictJSON
import Testing

@Suite("Reading postbacks of AdAttributionKit")
struct AdAttributionKitPostbackTests {
    static let header = #"{"kid":"apple-cas-identifier\/0","alg":"ES256"}"#
    static let payload =
        #"{"postback-identifier":"85546EB7-FD39-44BC-8990-C98A4AC36A49","ad-network-identifier":"n.adattributionkit","#
        + #""advertised-item-identifier":10738027756,"publisher-item-identifier":7,"source-identifier":"0039","#
        + #""conversion-type":"download","impression-type":"app-impression","#
        + #""marketplace-identifier":"com.apple.AppStore","did-win":true,"postback-sequence-index":0,"later-key":[1]}"#
    static let signature = Base64URL.encode([UInt8](repeating: 1, count: 64))

    static func body(
        header: String = header, payload: String = payload, signature: String = signature, siblings: String = ""
    ) -> [UInt8] {
        let jws = [header, payload].map { Base64URL.encode(Array($0.utf8)) } + [signature]
        return body(jws: jws.joined(separator: "."), siblings: siblings)
    }

    static func body(jws: String, siblings: String = "") -> [UInt8] {
        Array(#"{"jws-string":"\#(jws)"\#(siblings)}"#.utf8)
    }

    static func read(_ body: [UInt8]) throws -> AdAttributionKitPostback {
        guard case .adAttributionKit(let postback) = try ReceivedPostback(reading: body) else {
            throw FieldProblem(field: "framework", found: "skadnetwork", expected: "adattributionkit")
        }
        return postback
    }

    @Test("Every field is read as received, and unknown ones are kept")
    func fields() throws {
        let postback = try Self.read(
            Self.body(siblings: #","coarse-conversion-value":"high","ad-interaction-type":"view","country-code":"DE""#))
        #expect(postback.keyID == .production)
        #expect(postback.postbackIdentifier.text == "85546EB7-FD39-44BC-8990-C98A4AC36A49")
        #expect(postback.adNetworkID.text == "n.adattributionkit")
        #expect(postback.advertisedItemID.value == 10_738_027_756)
        #expect(postback.publisherItemID?.value == 7)
        #expect(postback.sourceIdentifier.digits == "0039")
        #expect(postback.conversionType == .download)
        #expect(postback.impressionType.text == "app-impression")
        #expect(postback.marketplaceIdentifier?.text == "com.apple.AppStore")
        #expect(postback.didWin && postback.sequenceIndex == 0)
        #expect(postback.conversion == .coarse(.high))
        #expect(postback.adInteractionType == .view)
        #expect(postback.countryCode?.text == "DE")
        #expect(postback.signedFields.last?.name == "later-key")
    }

    @Test("Optional fields may be absent, and 0 is not absent")
    func absent() throws {
        let payload = Self.payload.replacing(#""publisher-item-identifier":7,"#, with: "")
            .replacing(#""marketplace-identifier":"com.apple.AppStore","#, with: "")
        let postback = try Self.read(Self.body(payload: payload))
        #expect(postback.publisherItemID == nil && postback.marketplaceIdentifier == nil)
        #expect(postback.adInteractionType == nil && postback.countryCode == nil && postback.conversion == .absent)
        let zero = Self.payload.replacing(#""publisher-item-identifier":7"#, with: #""publisher-item-identifier":0"#)
        #expect(try Self.read(Self.body(payload: zero)).publisherItemID?.value == 0)
    }

    @Test(
        "An invalid header, payload or sibling is named",
        arguments: [
            ("header", #""alg":"ES256""#, #""alg":"none""#, "jws-string header alg"),
            ("header", #","alg":"ES256""#, "", "jws-string header alg"),
            ("header", #""alg":"ES256""#, #""alg":"ES256","alg":"none""#, "jws-string header"),
            ("header", #""kid":"apple-cas-identifier\/0","#, "", "jws-string header kid"),
            ("header", #""kid":"apple-cas-identifier\/0""#, #""kid":0"#, "jws-string header kid"),
            ("payload", #""did-win":true"#, #""did-win":true,"did-win":false"#, "jws-string payload"),
            ("payload", #""did-win":true"#, #""did-win":1"#, "did-win"),
            ("payload", #""did-win":true"#, #""did-win":null"#, "did-win"),
            ("payload", #""did-win":true,"#, "", "did-win"),
            ("payload", "10738027756", "\"10738027756\"", "advertised-item-identifier"),
            ("payload", "10738027756", "9223372036854775808", "advertised-item-identifier"),
            (
                "payload", #""publisher-item-identifier":7"#, #""publisher-item-identifier":null"#,
                "publisher-item-identifier"
            ),
            ("payload", #""source-identifier":"0039""#, #""source-identifier":39"#, "source-identifier"),
            ("payload", #""source-identifier":"0039""#, #""source-identifier":"00391""#, "source-identifier"),
            ("payload", #""conversion-type":"download""#, #""conversion-type":"Download""#, "conversion-type"),
            ("payload", #""conversion-type":"download""#, #""conversion-type":"install""#, "conversion-type"),
            ("payload", #""impression-type":"app-impression""#, #""impression-type":"""#, "impression-type"),
            ("payload", #""postback-sequence-index":0"#, #""postback-sequence-index":3"#, "postback-sequence-index"),
            ("payload", #""ad-network-identifier":"n.adattributionkit","#, "", "ad-network-identifier"),
            ("payload", "85546EB7-FD39-44BC-8990-C98A4AC36A49", "", "postback-identifier"),
            ("siblings", "", #","jws-string":"a.b.c""#, "jws-string"),
        ])
    func malformed(_ part: String, _ good: String, _ bad: String, _ field: String) throws {
        let body =
            switch part {
            case "header": Self.body(header: try Self.changed(Self.header, good, bad))
            case "payload": Self.body(payload: try Self.changed(Self.payload, good, bad))
            default: Self.body(siblings: bad)
            }
        #expect(try Self.problems(body).map(\.field) == [field])
    }

    @Test(
        "Only three parts in canonical base64url are a JWS",
        arguments: [
            "", ".", "a.b", "a.b.c.d", "..", "e30.e30.", ".e30.AAAA", "e30=.e30.AAAA", "e3 0.e30.AAAA", "e31.e30.AAAA",
            "e+0.e30.AAAA",
        ])
    func compactForm(_ jws: String) throws {
        let fields = try Self.problems(Self.body(jws: jws)).map(\.field)
        #expect(fields.count == 1 && fields[0].hasPrefix("jws-string"))
    }

    @Test("A signature must have 64 bytes in unpadded base64url", arguments: [0, 1, 63, 65, 72])
    func signatureLength(_ count: Int) throws {
        let body = Self.body(signature: Base64URL.encode([UInt8](repeating: 1, count: count)))
        #expect(try Self.problems(body).map(\.field) == ["jws-string signature"])
    }

    @Test(
        "Any kid is read, byte for byte",
        arguments: ["apple-cas-identifier/1", "APPLE-CAS-IDENTIFIER/0", "", "apple-cas-identifier/0 ", "e\u{301}"])
    func anyKeyID(_ kid: String) throws {
        let body = Self.body(header: #"{"alg":"ES256","kid":"\#(kid)"}"#)
        let postback = try Self.read(body)
        #expect(postback.keyID == PostbackKeyID(kid) && postback.keyID != .production)
    }

    @Test("The signature covers the text as received, whatever its order and spelling")
    func signedBytes() throws {
        let header = #"{ "alg" : "ES256", "typ":"JWT", "kid":"apple-cas-identifier/0" }"#
        let postback = try Self.read(Self.body(header: header))
        let text = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(Self.payload.utf8))
        #expect(postback.jws.signedBytes == Array(text.utf8))
    }

    @Test(
        "An unknown word in an unsigned field rejects nothing, and is flagged as received",
        arguments: [
            (#""ad-interaction-type":"hover""#, "other", "", #"the string "hover""#),
            (#""ad-interaction-type":"CLICK""#, "other", "", #"the string "CLICK""#),
            (#""ad-interaction-type":"other""#, "other", "", #"the string "other""#),
            (#""ad-interaction-type":1"#, "other", "", "the number 1"),
            (#""ad-interaction-type":null"#, "", "", nil),
            (#""country-code":"us""#, "", "invalid", #"the string "us""#),
            (#""country-code":"US-CA""#, "", "invalid", #"the string "US-CA""#),
            (#""country-code":"""#, "", "invalid", #"the string """#),
            (#""country-code":1"#, "", "invalid", "the number 1"), (#""country-code":null"#, "", "", nil),
            (#""country-code":"US""#, "", "US", nil),
        ] as [(String, String, String, String?)])
    func unknownWords(_ sibling: String, _ interaction: String, _ country: String, _ found: String?) throws {
        let postback = try ReceivedPostback(reading: Self.body(siblings: "," + sibling))
        #expect(ReportDimension.interactionType.value(of: postback) == interaction)
        #expect(ReportDimension.country.value(of: postback) == country)
        #expect(postback.flaggedValues.map(\.found) == [found].compactMap(\.self))
    }

    @Test(
        "A signed value that is read but new, or spelled as one page alone has it, is flagged",
        arguments: [
            (#""impression-type":"app-impression""#, #""impression-type":"web-impression""#, "impression-type"),
            (#""conversion-type":"download""#, #""conversion-type":"reengagement""#, "conversion-type"),
            (#""conversion-type":"download""#, #""conversion-type":"re-engagement""#, nil),
            (#""did-win":true"#, #""did-win":false"#, nil),
        ] as [(String, String, String?)])
    func flaggedValues(_ good: String, _ other: String, _ field: String?) throws {
        // A sibling with a signed field's name is not read.
        let body = Self.body(
            payload: try Self.changed(Self.payload, good, other), siblings: #","impression-type":"sibling""#)
        let postback = try ReceivedPostback(reading: body)
        #expect(postback.flaggedValues.map(\.field) == [field].compactMap(\.self))
        #expect(ReportDimension.conversionType.value(of: postback) != ConversionType.unhyphenatedReengagement)
        #expect(ReportDimension.impressionType.value(of: postback) != "sibling")
    }

    @Test(
        "An invalid conversion value is kept as invalid and rejects nothing",
        arguments: [
            #","conversion-value":64"#, #","conversion-value":1,"coarse-conversion-value":"low""#,
            #","coarse-conversion-value":"LOW""#, #","conversion-value":"24""#,
        ])
    func invalidConversion(_ siblings: String) throws {
        #expect(try Self.read(Self.body(siblings: siblings)).conversion == .invalid)
    }

    @Test("An SKAdNetwork postback with an added JWS is still an SKAdNetwork postback")
    func bothFrameworks() throws {
        let body =
            #"{"ad-network-id":"N","campaign-id":1,"app-id":2,"transaction-id":"T","jws-string":"a.b.c","#
            + #""attribution-signature":"AAAA"}"#
        #expect(try ReceivedPostback(reading: Array(body.utf8)).framework == .skAdNetwork)
    }

    @Test("A field on the wrong side of the JWS is ignored")
    func sides() throws {
        let payload = Self.payload.replacing(#""did-win":true"#, with: #""did-win":true,"conversion-value":63"#)
        let postback = try Self.read(Self.body(payload: payload, siblings: #","conversion-type":"re-engagement""#))
        #expect(postback.conversion == .absent)
        #expect(postback.conversionType == .download)
    }

    @Test("Statements are equal despite another signature, but not if an unsigned field differs")
    func sameStatements() throws {
        let first = try ReceivedPostback(reading: Self.body(siblings: #","conversion-value":1"#))
        let other = Base64URL.encode([UInt8](repeating: 2, count: 64))
        let second = try ReceivedPostback(reading: Self.body(signature: other, siblings: #","conversion-value":1"#))
        #expect(first.statements == second.statements)
        #expect(first.key == second.key)
        for siblings in ["", #","conversion-value":2"#, #","conversion-value":1,"country-code":"US""#] {
            #expect(first.statements != (try ReceivedPostback(reading: Self.body(siblings: siblings))).statements)
        }
    }

    // MARK: Helpers

    private static func changed(_ text: String, _ good: String, _ bad: String) throws -> String {
        try #require(text.contains(good))
        return text.replacing(good, with: bad)
    }

    private static func problems(_ body: [UInt8]) throws -> [FieldProblem] {
        let rejection = #expect(throws: PostbackRejection.self) { try ReceivedPostback(reading: body) }
        guard case .malformed(let problems) = rejection else {
            Issue.record("expected malformed, found \(String(describing: rejection))")
            return []
        }
        return problems
    }
}
