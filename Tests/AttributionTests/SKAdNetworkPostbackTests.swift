import Attribution
import StrictJSON
import Testing

@Suite("Reading postbacks of SKAdNetwork")
struct SKAdNetworkPostbackTests {
    /// A body of each version with every field it signs; the signature is any base64.
    static let bodies: [(SKAdNetworkVersion, String)] = [
        (.v1_0, #""ad-network-id":"N.skadnetwork","campaign-id":42,"app-id":10738027756,"transaction-id":"T""#),
        (
            .v2_0,
            #""version":"2.0","ad-network-id":"N","campaign-id":42,"app-id":1,"transaction-id":"T","redownload":true"#
        ),
        (
            .v2_1,
            #""version":"2.1","ad-network-id":"N","campaign-id":42,"app-id":1,"transaction-id":"T","redownload":true,"source-app-id":7"#
        ),
        (
            .v2_2,
            #""version":"2.2","ad-network-id":"N","campaign-id":42,"app-id":1,"transaction-id":"T","redownload":false,"source-app-id":7,"fidelity-type":1"#
        ),
        (
            .v3_0,
            #""version":"3.0","ad-network-id":"N","campaign-id":42,"app-id":1,"transaction-id":"T","redownload":false,"source-app-id":7,"fidelity-type":0,"did-win":true"#
        ),
        (
            .v4_0,
            #""version":"4.0","ad-network-id":"N","source-identifier":"0039","app-id":1,"transaction-id":"T","redownload":false,"source-domain":"example.com","fidelity-type":1,"did-win":true,"postback-sequence-index":0"#
        ),
    ]

    static func body(_ members: String) -> [UInt8] {
        Array("{\(members),\"attribution-signature\":\"AAAA\"}".utf8)
    }

    @Test(
        "The signed text has the version's values in the version's order",
        arguments: [
            "N.skadnetwork|42|10738027756|T", "2.0|N|42|1|T|true", "2.1|N|42|1|T|true|7", "2.2|N|42|1|T|false|7|1",
            "3.0|N|42|1|T|false|7|0|true", "4.0|N|0039|1|T|false|example.com|1|true|0",
        ])
    func signedText(_ expected: String) throws {
        let version = expected.contains("skadnetwork") ? "1.0" : String(expected.prefix(3))
        let (_, members) = try #require(Self.bodies.first { $0.0.rawValue == version })
        #expect(try SKAdNetworkPostback(reading: Self.body(members)).signedText.description == expected)
    }

    @Test("The separator in the signed text is U+2063")
    func separator() throws {
        let text = try SKAdNetworkPostback(reading: Self.body(Self.bodies[0].1)).signedText
        #expect(text.utf8.starts(with: Array("N.skadnetwork\u{2063}42\u{2063}".utf8)))
    }

    @Test("1.0 signs neither version nor redownload, even if present")
    func firstVersion() throws {
        let (_, members) = Self.bodies[0]
        let bare = try SKAdNetworkPostback(reading: Self.body(members))
        let full = try SKAdNetworkPostback(reading: Self.body(#""version":"1.0","redownload":true,"# + members))
        #expect(bare.version == .v1_0 && full.version == .v1_0)
        #expect(bare.signedText == full.signedText)
        #expect(bare.isRedownload == nil)
        #expect(full.isRedownload == true)
    }

    @Test(
        "A redownload of 1.0 that is none is no reason to lose an install", arguments: ["1", "\"true\"", "null", "[]"])
    func unsignedRedownload(_ value: String) throws {
        let body = Self.body(Self.bodies[0].1 + #","redownload":\#(value)"#)
        #expect(try SKAdNetworkPostback(reading: body).isRedownload == nil)
    }

    @Test("A domain may be in any script", arguments: ["example.com", "163.com", "xn--e1afmkfd.xn--p1ai", "例え.テスト"])
    func domains(_ domain: String) throws {
        let members = Self.bodies[5].1.replacing("example.com", with: domain)
        let postback = try SKAdNetworkPostback(reading: Self.body(members))
        #expect(postback.source == SourceDomain(domain).map(PostbackSource.domain))
    }

    @Test(
        "Only the canonical description of a conversion is read",
        arguments: ["+5", "007", "00", "64", "-1", " 5", "5 ", "٥", "Low", "", "nul"])
    func otherSpellings(_ text: String) {
        #expect(Conversion(text) == nil)
    }

    @Test("Every conversion round-trips through its description")
    func conversionDescriptions() {
        #expect(Conversion.allCases.count == 70)
        #expect(Conversion.allCases.map(\.description).map(Conversion.init) == Conversion.allCases)
    }

    @Test("Numbers are signed in decimal digits", arguments: [0, -1, 9, 10, 1_000_000, .max, .min] as [Int64])
    func numbers(_ number: Int64) throws {
        let members = #""ad-network-id":"N","campaign-id":1,"app-id":\#(number),"transaction-id":"T""#
        #expect(try SKAdNetworkPostback(reading: Self.body(members)).signedText.description == "N|1|\(number)|T")
    }

    @Test("A name with escapes is the same name")
    func escapedName() throws {
        let (_, members) = Self.bodies[5]
        let escaped = members.replacing(#""app-id""#, with: #""app\u002did""#)
        try #require(escaped != members)
        let postback = try SKAdNetworkPostback(reading: Self.body(escaped))
        #expect(postback.signedText == (try SKAdNetworkPostback(reading: Self.body(members)).signedText))
        #expect(postback.fields.contains(JSONField(name: "app-id", value: .integer(1))))
    }

    @Test("Versions are ordered by release")
    func versionOrder() {
        let versions = SKAdNetworkVersion.allCases
        #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) })
        #expect(versions.map(\.rawValue) == versions.map(\.rawValue).sorted())
    }

    @Test("Fields of a later version are kept but ignored", arguments: bodies.prefix(2).map(\.1))
    func laterFields(_ members: String) throws {
        let plain = try SKAdNetworkPostback(reading: Self.body(members))
        let later = try SKAdNetworkPostback(
            reading: Self.body(members + #","did-win":false,"fidelity-type":0,"source-domain":"x.com","ip":"::1""#))
        #expect(later.signedText == plain.signedText)
        #expect(later.didWin == nil && later.fidelityType == nil && later.source == nil)
        #expect(later.fields.count == plain.fields.count + 4)
    }

    @Test(
        "Absent, null, fine and coarse conversion values are different",
        arguments: [
            ("", Conversion.absent),
            (#","conversion-value":null"#, .null),
            (#","conversion-value":0"#, .fine(0)),
            (#","conversion-value":63"#, .fine(63)),
            (#","coarse-conversion-value":"low""#, .coarse(.low)),
            (#","coarse-conversion-value":null"#, .null),
            (#","conversion-value":null,"coarse-conversion-value":"high""#, .coarse(.high)),
            (#","conversion-value":64"#, .invalid),
            (#","conversion-value":-1"#, .invalid),
            (#","conversion-value":9223372036854775808"#, .invalid),
            (#","conversion-value":20.0"#, .invalid),
            (#","conversion-value":"20""#, .invalid),
            (#","conversion-value":[20]"#, .invalid),
            (#","conversion-value":true"#, .invalid),
            (#","coarse-conversion-value":"LOW""#, .invalid),
            (#","coarse-conversion-value":"""#, .invalid),
            (#","coarse-conversion-value":1"#, .invalid),
            (#","conversion-value":1,"coarse-conversion-value":"low""#, .invalid),
            (#","conversion-value":64,"coarse-conversion-value":"low""#, .invalid),
        ])
    func conversions(_ members: String, _ expected: Conversion) throws {
        #expect(try SKAdNetworkPostback(reading: Self.body(Self.bodies[5].1 + members)).conversion == expected)
    }

    @Test(
        "An invalid value is refused by name",
        arguments: [
            (1, #""campaign-id":42"#, #""campaign-id":"42""#, "campaign-id"),
            (1, #""campaign-id":42"#, #""campaign-id":42.0"#, "campaign-id"),
            (1, #""campaign-id":42"#, #""campaign-id":null"#, "campaign-id"),
            (1, #""redownload":true"#, #""redownload":1"#, "redownload"),
            (1, #""redownload":true"#, #""redownload":"true""#, "redownload"),
            (1, #""redownload":true"#, #""x":true"#, "redownload"),
            (0, #""app-id":10738027756"#, #""app-id":9223372036854775808"#, "app-id"),
            (0, #""transaction-id":"T""#, #""transaction-id":"""#, "transaction-id"),
            (0, #""transaction-id":"T""#, #""transaction-id":"T\u2063U""#, "transaction-id"),
            (0, #""transaction-id":"T""#, #""transaction-id":"\u2063""#, "transaction-id"),
            (0, #""transaction-id":"T""#, #""transaction-id":"Té\u2063""#, "transaction-id"),
            (0, #""transaction-id":"T""#, #""transaction-id":"T\u001f""#, "transaction-id"),
            (0, #""transaction-id":"T""#, #""transaction-id":"T\u007f""#, "transaction-id"),
            (0, #""ad-network-id":"N.skadnetwork""#, #""ad-network-id":"N⁣skadnetwork""#, "ad-network-id"),
            (3, #""source-app-id":7"#, #""source-app-id":null"#, "source-app-id"),
            (3, #""source-app-id":7"#, #""source-app-id":"7""#, "source-app-id"),
            (3, #""fidelity-type":1"#, #""fidelity-type":true"#, "fidelity-type"),
            (4, #""did-win":true"#, #""did-win":"true""#, "did-win"),
            (5, #""source-identifier":"0039""#, #""source-identifier":39"#, "source-identifier"),
            (5, #""source-identifier":"0039""#, #""source-identifier":"""#, "source-identifier"),
            (5, #""source-identifier":"0039""#, #""source-identifier":"12345""#, "source-identifier"),
            (5, #""source-identifier":"0039""#, #""source-identifier":"٣٩""#, "source-identifier"),
            (
                5, #""source-domain":"example.com""#, #""source-domain":"example.com","source-app-id":1"#,
                "source-domain"
            ),
            (5, #""source-domain":"example.com""#, #""source-domain":"""#, "source-domain"),
            (5, #""source-domain":"example.com""#, #""source-domain":"1234567891""#, "source-domain"),
            (5, #""source-domain":"example.com""#, #""source-domain":"127.0.0.1""#, "source-domain"),
            (5, #""source-domain":"example.com""#, #""source-domain":"example""#, "source-domain"),
            (5, #""source-domain":"example.com""#, #""source-domain":7"#, "source-domain"),
            (5, #""postback-sequence-index":0"#, #""postback-sequence-index":3"#, "postback-sequence-index"),
            (1, #""version":"2.0""#, #""version":2.0"#, "version"),
            (1, #""redownload":true"#, #""redownload":true,"redownload":false"#, "redownload"),
        ])
    func malformed(_ index: Int, _ good: String, _ bad: String, _ field: String) throws {
        let members = Self.bodies[index].1
        try #require(members.contains(good))
        #expect(throws: Never.self) { try SKAdNetworkPostback(reading: Self.body(members)) }
        let changed = Self.body(members.replacing(good, with: bad))
        let rejection = #expect(throws: PostbackRejection.self) { try SKAdNetworkPostback(reading: changed) }
        guard case .malformed(let problems) = rejection else {
            Issue.record("expected malformed, found \(String(describing: rejection))")
            return
        }
        #expect(problems.map(\.field) == [field])
    }

    @Test("Every missing signed field is named", arguments: bodies.map(\.0))
    func missing(_ version: SKAdNetworkVersion) throws {
        let optional: Set<PostbackField> = [.sourceAppID, .sourceDomain, .version]
        let required = PostbackField.signed(in: version).filter { !optional.contains($0) }
        let body = version == .v1_0 ? "{}" : "{\"version\":\"\(version.rawValue)\"}"
        let rejection = #expect(throws: PostbackRejection.self) { try SKAdNetworkPostback(reading: Array(body.utf8)) }
        guard case .malformed(let problems) = rejection else {
            Issue.record("expected malformed, found \(String(describing: rejection))")
            return
        }
        #expect(Set(problems.map(\.field)) == Set((required + [.attributionSignature]).map(\.rawValue)))
    }

    @Test("An unknown version is rejected by name", arguments: ["4.1", "5.0", "1", "", "2.0 ", "４.0"])
    func unknownVersion(_ version: String) {
        let body = Self.body(#""version":"\#(version)","campaign-id":1"#)
        #expect(throws: PostbackRejection.unknownVersion("\"\(version)\"")) { try SKAdNetworkPostback(reading: body) }
    }

    @Test("Statements are equal whatever the order, spelling and signature")
    func sameStatements() throws {
        let first = try ReceivedPostback(
            reading: Array(
                #"{"ad-network-id":"N","campaign-id":1,"app-id":2,"transaction-id":"a/b","conversion-value":0,"attribution-signature":"AAAA"}"#
                    .utf8))
        let second = try ReceivedPostback(
            reading: Array(
                #"{ "conversion-value":0,"transaction-id":"a\/b","app-id":2,"campaign-id":1,"ad-network-id":"N","attribution-signature":"AAAB"}"#
                    .utf8))
        #expect(first.statements == second.statements)
        for other in [#""conversion-value":null"#, #""x":0"#, #""conversion-value":1"#] {
            let third = try ReceivedPostback(
                reading: Array(
                    #"{"ad-network-id":"N","campaign-id":1,"app-id":2,"transaction-id":"a/b",\#(other),"attribution-signature":"AAAA"}"#
                        .utf8))
            #expect(first.statements != third.statements, "\(other)")
        }
    }

    @Test("A long duplicate name is shortened in the message")
    func longName() {
        let name = String(repeating: "n", count: 5_000)
        do {
            _ = try ReceivedPostback(reading: Self.body("\"\(name)\":1,\"\(name)\":2"))
            Issue.record("it was read")
        } catch {
            #expect(error.description.utf8.count < 200)
            #expect(error.code == .malformed)
        }
    }
}
