import Attribution
import AttributionForwarding
import AttributionSigning
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Presets, at receivers that verify Apple's signature", .timeLimit(.minutes(5)))
struct PresetTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let preset: String
        var path = "p"
        /// More members of the destination.
        var more = ""
        /// What is added to Apple's members.
        var added: [String: JSONValue] = [:]
        var line = "POST /p HTTP/1.1"
        var token: String?
        var fillsNull = false

        var testDescription: String { preset }
    }

    static let cases = [
        Case(
            preset: "appsflyer",
            more: #""members": [{"name": "ad-network-campaign-id", "source": "source-identifier"}]"#,
            added: ["timestamp": .string("1795262400"), "ad-network-campaign-id": .string("0239")]),
        Case(
            preset: "appmetrica",
            more: #""members": [{"name": "ad-network-ad-name", "value": "summer"}, {"name": "extra", "value": 7}]"#,
            added: [
                "timestamp": .string("1795262400"), "ad-network-ad-name": .string("summer"), "extra": .integer(7),
            ]),
        Case(
            preset: "branch", more: #""members": [{"name": "partner-ad-set-id", "value": "a"}]"#,
            added: ["test": .bool(true), "partner-ad-set-id": .string("a")]),
        Case(preset: "kochava"),
        Case(
            preset: "airbridge", more: #""members": [{"name": "attributed-channel", "value": "example"}]"#,
            added: ["attributed-channel": .string("example")], fillsNull: true),
        Case(preset: "adbrix", more: #""secret-file": "token""#, token: "abx-token"),
        Case(
            preset: "adjust", more: #""members": [{"name": "adjust-tracker", "value": "abc123"}]"#,
            added: ["timestamp": .integer(1_795_262_400), "adjust-tracker": .string("abc123")]),
        Case(
            preset: "adjust-query", path: "skadnetwork/{secret}",
            more: #""secret-file": "token", "members": [{"name": "tracker", "value": "a b&c"}]"#,
            added: ["tracker": .string("a b&c")], line: "GET /skadnetwork/hsL1%2FpYX%2B?"),
        Case(preset: "singular"),
        Case(
            preset: "generic",
            more: #""members": [{"name": "at", "source": "received-at-milliseconds", "type": "number"}]"#,
            added: ["at": .integer(1_795_262_400_789)]),
    ]

    @Test(
        "Names, types and values are as the contract has them, and every version's signature verifies", arguments: cases
    )
    func contract(_ row: Case) async throws {
        let folder = try SecretFolder()
        try folder.write("hsL1/pYX+\n", to: "token")
        let bench = try Bench()
        let server = try ScriptedServer(Array(repeating: Bench.accepts, count: SKAdNetworkVersion.allCases.count))
        let destination = try Bench.destination(
            server.port, path: row.path, #""preset": "\#(row.preset)""# + (row.more.isEmpty ? "" : ", " + row.more),
            folder: folder.path)
        for version in SKAdNetworkVersion.allCases {
            let result = try await bench.send(try bench.body(version), to: destination)
            #expect(result.isDelivered, "\(version): \(result)")
        }
        for (version, told) in zip(SKAdNetworkVersion.allCases, try await server.end()) {
            let seen = SeenRequest(told)
            #expect(seen.line.hasPrefix(row.line), "\(seen.line)")
            if let header = row.token { #expect(seen.fields[header] == "hsL1/pYX+") }
            var members = try seen.members()
            // This identifier is none of 3.0 and before.
            var added = row.added
            if version < .v4_0, row.preset == "appsflyer" { added["ad-network-campaign-id"] = nil }
            for (name, value) in added {
                #expect(members.first { $0.name == name }?.value == value, "\(name) of \(version)")
            }
            members.removeAll { added.keys.contains($0.name) }
            let names = Set(members.map(\.name))
            if row.fillsNull {
                #expect(names.isSuperset(of: ["campaign-id", "source-identifier", "source-domain", "did-win"]))
                members.removeAll { $0.value == .null }
            }
            // Apple's members of this version, and nothing of a stranger's.
            let expected = Set(PostbackField.signed(in: version).filter { $0 != .sourceDomain }.map(\.rawValue))
                .union(["conversion-value", "attribution-signature"])
            #expect(Set(members.map(\.name)) == expected)
            guard case .verified(let verified) = bench.verifier.judge(Self.json(members)) else {
                Issue.record("\(version) does not verify: \(told)")
                continue
            }
            #expect(verified.postback.adNetworkID.text == "Example123.skadnetwork")
            #expect(verified.postback.conversion == .fine(20))
        }
    }

    @Test("A relay sends the received bytes of either framework, a stranger's included")
    func relay() async throws {
        let bench = try Bench()
        let bodies = [
            try bench.body(.v4_0), try bench.adAttributionKitBody(), Array(" ".utf8) + (try bench.body(.v2_0)),
        ]
        let server = try ScriptedServer(Array(repeating: Bench.accepts, count: bodies.count))
        let destination = try Bench.destination(server.port, #""preset": "relay""#)
        for body in bodies { #expect(try await bench.send(body, to: destination).isDelivered) }
        #expect(
            try await server.end().map { SeenRequest($0).body } == bodies.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test("Of AdAttributionKit, the signed text and Apple's members beside it leave, and nothing of a stranger's")
    func adAttributionKit() async throws {
        let bench = try Bench()
        let server = try ScriptedServer([Bench.accepts])
        let destination = try Bench.destination(
            server.port, path: "{advertised-item-identifier}?won={did-win}",
            #""body": "raw+members", "method": "PUT", "members": [{"name": "n", "source": "ad-network-identifier"}]"#)
        let body = try bench.adAttributionKitBody()
        #expect(try await bench.send(body, to: destination).isDelivered)
        let seen = SeenRequest(try #require(try await server.end().first))
        #expect(seen.line == "PUT /525463029?won=false HTTP/1.1")
        #expect(try seen.members().map(\.name) == ["jws-string", "coarse-conversion-value", "n"])
        #expect(try seen.members().last?.value == .string("example123.adattributionkit"))
        guard case .verified(let verified) = bench.verifier.judge(Array(seen.body.utf8)) else {
            Issue.record("it does not verify: \(seen.body)")
            return
        }
        #expect(verified.postback.conversion == .coarse(.low))
    }

    @Test(
        "Without a URL, a preset is sent where its contract says",
        arguments: [
            ("appsflyer", "", "skadpostbacks.appsflyer.com:443"),
            ("branch", "", "api2.branch.io:443"),
            ("appmetrica", "", "skadnet-postback.yandex.net:443"),
            (
                "airbridge", #", "members": [{"name": "attributed-channel", "value": "a"}]"#,
                "postback.airbridge.io:443"
            ),
        ])
    func endpoints(_ preset: String, _ more: String, _ server: String) throws {
        let destination = try #require(try Bench.destinations(#"{"name": "d", "preset": "\#(preset)"\#(more)}"#).first)
        #expect(destination.url.server.description == server)
        #expect(destination.url.isSecure)
        #expect(destination.method == .post)
        #expect(destination.filters.framework == .skAdNetwork)
    }

    private static func json(_ members: [JSONField]) -> [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                for member in members {
                    json.name(member.name)
                    member.value.text.write(to: &json)
                }
            }
        }
    }
}
