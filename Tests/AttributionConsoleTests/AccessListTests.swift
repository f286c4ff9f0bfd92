import Attribution
import AttributionConsole
import Foundation
import Logging
import TestSupport
import Testing

@Suite("The list of tokens")
struct AccessListTests {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let dayAfter = CalendarDay("2026-09-22")

    /// A list with one token of each kind, and the tokens.
    struct Holders {
        var list = AccessList()
        var tokens: [String: AccessToken] = [:]

        init() throws {
            for scope in AccessScope.allCases {
                try add(scope.rawValue, [scope])
            }
            try add("both", [.report, .sign])
            try add("ending", [.report], expires: AccessListTests.dayAfter)
        }

        mutating func add(_ name: String, _ scopes: [AccessScope], expires: CalendarDay? = nil) throws {
            var generator = SystemRandomNumberGenerator()
            tokens[name] = try list.create(
                name: name, scopes: scopes, expires: expires, now: AccessListTests.now, using: &generator
            ).token
        }

        func text(_ name: String) -> String {
            tokens[name]?.text ?? ""
        }
    }

    // MARK: Judging

    /// Authorization lines, with `{name}` for a token; the route's scope; the holder and the refusal.
    static let requests: [([String], AccessScope, String?, AccessRefusal?)] = [
        ([], .report, nil, .noCredentials),
        (["Basic dXNlcjpwYXNz"], .report, nil, .noCredentials),
        (["{report}"], .report, nil, .noCredentials),
        (["Bearer"], .report, nil, .malformed),
        (["Bearer "], .report, nil, .malformed),
        (["Bearer {report} {report}"], .report, nil, .malformed),
        (["Bearer {report},"], .report, nil, .malformed),
        (["Bearer \"{report}\""], .report, nil, .malformed),
        (["Bearer {report}", "Bearer {report}"], .report, nil, .malformed),
        (["Bearer {report}", "Basic dXNlcjpwYXNz"], .report, nil, .malformed),
        (["Bearer secret"], .report, nil, .unknown),
        (["Bearer {report}="], .report, nil, .unknown),
        (["Bearer {report}0"], .report, nil, .unknown),
        (["Bearer skan_" + String(repeating: "0", count: 64)], .report, nil, .unknown),
        (["Bearer skan_" + String(repeating: "A", count: 64)], .report, nil, .unknown),
        (["Bearer {report}"], .report, "report", nil),
        (["bearer {report}"], .report, "report", nil),
        (["BEARER   {report}"], .report, "report", nil),
        (["Bearer {report}"], .sign, "report", .outOfScope(needed: .sign)),
        (["Bearer {report}"], .admin, "report", .outOfScope(needed: .admin)),
        (["Bearer {sign}"], .sign, "sign", nil),
        (["Bearer {sign}"], .report, "sign", .outOfScope(needed: .report)),
        (["Bearer {both}"], .sign, "both", nil),
        (["Bearer {both}"], .report, "both", nil),
        (["Bearer {both}"], .admin, "both", .outOfScope(needed: .admin)),
        (["Bearer {admin}"], .sign, "admin", nil),
        (["Bearer {admin}"], .report, "admin", nil),
        (["Bearer {admin}"], .admin, "admin", nil),
        (["Bearer {ending}"], .report, "ending", nil),
        (["Bearer {metrics}"], .metrics, "metrics", nil),
        (["Bearer {metrics}"], .report, "metrics", .outOfScope(needed: .report)),
        (["Bearer {report}"], .metrics, "report", nil),
        (["Bearer {sign}"], .metrics, "sign", .outOfScope(needed: .metrics)),
        (["Bearer {manage}"], .metrics, "manage", .outOfScope(needed: .metrics)),
        (["Bearer {admin}"], .metrics, "admin", nil),
    ]

    @Test("Who may do what", arguments: requests)
    func judge(_ lines: [String], _ needed: AccessScope, _ holder: String?, _ refusal: AccessRefusal?) throws {
        let holders = try Holders()
        let authorization = lines.map { line in
            holders.tokens.reduce(line) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value.text) }
        }
        let judgement = holders.list.judge(authorization: authorization, needed: needed, now: Self.now)
        #expect(judgement.caller?.name == holder)
        #expect(judgement.refusal == refusal)
    }

    @Test("A token is good until the day it expires on begins")
    func expiry() throws {
        let holders = try Holders()
        let midnight = Date(timeIntervalSince1970: 1_790_035_200)
        func refusal(_ moment: Date) -> AccessRefusal? {
            holders.list.judge(
                authorization: ["Bearer \(holders.text("ending"))"], needed: .report, now: moment
            ).refusal
        }
        #expect(refusal(midnight - 1) == nil)
        #expect(refusal(midnight) == .expired)
        #expect(throws: AccessProblem.expiryPassed("2026-09-21")) {
            var holders = holders
            try holders.add("late", [.sign], expires: CalendarDay("2026-09-21"))
        }
    }

    // MARK: Making and revoking

    @Test("A name has two live tokens; a third is refused, with the id to revoke; an expired one is dropped")
    func rotation() throws {
        var holders = try Holders()
        let first = holders.text("report")
        try holders.add("report", [.report])
        let ids = holders.list.grants.filter { $0.name == "report" }.map(\.id)
        #expect(throws: AccessProblem.tooManyLive(name: "report", ids: ids)) { try holders.add("report", [.sign]) }
        #expect(throws: AccessProblem.ambiguous(name: "report", ids: ids)) { try holders.list.revoke("report") }
        try holders.list.revoke(ids[0])
        func refusal(_ token: String) -> AccessRefusal? {
            holders.list.judge(authorization: ["Bearer \(token)"], needed: .report, now: Self.now).refusal
        }
        #expect(refusal(first) == .unknown)
        #expect(refusal(holders.text("report")) == nil)
        try holders.list.revoke("report")
        #expect(throws: AccessProblem.unknown("report")) { try holders.list.revoke("report") }

        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3 {
            // Each expires before the next is made.
            _ = try holders.list.create(
                name: "nightly", scopes: [.sign], expires: Self.dayAfter,
                now: Self.now, using: &generator)
            _ = try holders.list.create(
                name: "nightly", scopes: [.sign], expires: nil,
                now: Self.now + 86_400, using: &generator)
            let live = holders.list.grants.filter { $0.name == "nightly" }
            #expect(live.count == 1)
            try holders.list.revoke(live[0].id)
        }
    }

    @Test("One of two tokens of a name is revoked by its id or by itself; a token that is not on the list is not shown")
    func revokingOne() throws {
        var holders = try Holders()
        let leaked = holders.text("report")
        try holders.add("report", [.report])
        let ids = holders.list.grants.filter { $0.name == "report" }.map(\.id)
        #expect(try holders.list.revoke(leaked).id == ids[0])
        #expect(holders.list.grants.filter { $0.name == "report" }.map(\.id) == [ids[1]])
        #expect(throws: AccessProblem.unknown("skan_…")) { try holders.list.revoke(leaked) }
        try holders.list.revoke(ids[1])
        #expect(!holders.list.grants.contains { $0.name == "report" })
    }

    @Test("A token is limited to networks, in whatever case, and only with scopes of which each request names one")
    func networks() throws {
        var list = AccessList()
        var generator = SystemRandomNumberGenerator()
        func create(_ scopes: [AccessScope], _ networks: [String]) throws -> AccessGrant {
            try list.create(
                name: "a", scopes: scopes, networks: networks.compactMap { AdNetworkID($0) }, expires: nil,
                now: Self.now, using: &generator
            ).grant
        }
        let limited = try create([.sign, .report], ["Example123.skadnetwork", "com.example"])
        #expect(limited.allows(network: "example123.SKAdNetwork") && limited.allows(network: "com.example"))
        #expect(!limited.allows(network: "com.example.other") && !limited.allows(network: ""))
        // The sign for kelvin is no k.
        #expect(!limited.allows(network: "example123.s\u{212A}adnetwork"))
        #expect(try create([.admin], []).allows(network: "com.example"))
        for scope in [AccessScope.metrics, .manage, .admin] {
            #expect(throws: AccessProblem.scopeOfAllNetworks(scope)) { try create([.sign, scope], ["com.example"]) }
        }
    }

    @Test("A token is limited to apps with the scope report alone, and the file keeps them")
    func apps() throws {
        var list = AccessList()
        var generator = SystemRandomNumberGenerator()
        let ids: [Int64] = [525_463_029, .max]
        func create(_ scopes: [AccessScope], _ apps: [Int64]) throws -> AccessGrant {
            try list.create(
                name: "a", scopes: scopes, apps: apps.map { AppStoreItemID($0) }, expires: nil, now: Self.now,
                using: &generator
            ).grant
        }
        let limited = try create([.report], ids)
        #expect(limited.allows(app: "525463029") && limited.allows(app: "9223372036854775807"))
        #expect(!limited.allows(app: "525463028") && !limited.allows(app: "") && !limited.allows(app: "0525463029"))
        #expect(try create([.admin], []).allows(app: "1"))
        for scope in AccessScope.allCases where scope != .report {
            #expect(throws: AccessProblem.scopeOfAllApps(scope)) { try create([.report, scope], ids) }
        }
        try Self.withFile { file in
            try file.update(creatingFile: true) { $0 = list }
            #expect(try file.load().grants.map { $0.apps.map(\.value) } == [ids, []])
            // A release that knows of no apps reads the tokens that have none.
            #expect(try String(contentsOfFile: file.path, encoding: .utf8).ranges(of: "\"apps\"").count == 1)
        }
    }

    @Test(
        "Names that could spoil a log or a label are refused",
        arguments: ["", "A", "a b", "a\n", "ä", "a/b", String(repeating: "a", count: 65)])
    func names(_ name: String) throws {
        var holders = try Holders()
        #expect(throws: AccessProblem.badName(name)) { try holders.add(name, [.sign]) }
        #expect(throws: AccessProblem.noScope) { try holders.add("a", []) }
    }

    @Test(
        "No error shows a token that was typed where something else is expected, however it was spelt or cut off",
        arguments: ["{}", "Bearer {}", " {}", "x{}", "{}x", "\"{}\"", "{}{}"])
    func typedTokens(_ form: String) throws {
        let digits = String(repeating: "0123456789abcdef", count: 4)
        var holders = try Holders()
        for token in ["skan_" + digits, "skan_" + digits.dropLast(5), "SKAN_" + digits.uppercased()] {
            let typed = form.replacingOccurrences(of: "{}", with: token)
            let unknown = #expect(throws: AccessProblem.self) { try holders.list.revoke(typed) }
            let badName = #expect(throws: AccessProblem.self) { try holders.add(typed, [.sign]) }
            #expect(unknown?.description.lowercased().contains("0123") == false, "\(unknown as Any)")
            #expect(badName?.description.hasPrefix("name: found a token, which is not shown, expected 1") == true)
        }
        let metric = "skan_deliveries_total, skan_added"
        #expect(metric.withoutTokens == metric)
        // A date is eight hexadecimal digits.
        #expect("skan_20261124.sqlite".withoutTokens == "skan_20261124.sqlite")
    }

    @Test("Tokens differ, carry 256 bits behind a prefix, and are not shown by their description")
    func tokens() {
        var generator = SystemRandomNumberGenerator()
        let tokens = (0..<1_000).map { _ in AccessToken(using: &generator) }
        #expect(Set(tokens.map(\.text)).count == 1_000)
        for token in tokens {
            #expect(token.text.wholeMatch(of: /skan_[0-9a-f]{64}/) != nil)
            #expect(AccessToken(token.text)?.text == token.text)
            #expect("\(token)" == "skan_…")
        }
    }

    // MARK: The file

    private static func withFile(_ body: (AccessFile) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "access-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(AccessFile(folder.appending(path: "tokens.json").path))
    }

    private static func write(_ text: String, to file: AccessFile) throws {
        try Data(text.utf8).write(to: URL(filePath: file.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    @Test("A FIFO instead of the file is refused, and opening it does not block")
    func fifo() throws {
        try Self.withFile { file in
            try #require(mkfifo(file.path, 0o600) == 0)
            #expect {
                try file.load()
            } throws: { error in
                "\(error)" == "cannot read the tokens in \(file.path): it is not a regular file"
            }
        }
    }

    @Test("A list comes back from its file as it was, and the file holds no token")
    func roundTrip() throws {
        try Self.withFile { file in
            var holders = try Holders()
            var generator = SystemRandomNumberGenerator()
            _ = try holders.list.create(
                name: "limited", scopes: [.sign], networks: [try #require(AdNetworkID("Com.Example"))], expires: nil,
                now: Self.now, using: &generator)
            try file.update(creatingFile: true) { [list = holders.list] in $0 = list }
            let list = try file.load()
            func rows(_ list: AccessList) -> [String] {
                list.grants.map {
                    "\($0.id) \($0.name) \($0.scopes) \($0.networks) \($0.created) \(String(describing: $0.expires))"
                }
            }
            #expect(rows(list) == rows(holders.list))
            for (name, token) in holders.tokens {
                let judgement = list.judge(
                    authorization: ["Bearer \(token.text)"], needed: .report, now: Self.now)
                #expect(judgement.caller?.name == name)
            }
            let text = try String(contentsOfFile: file.path, encoding: .utf8)
            #expect(!text.contains(AccessToken.prefix))
            #expect(holders.tokens.values.allSatisfy { !text.contains($0.text.dropFirst(5)) })
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("A list that another user changes stays the server's", .enabled(if: geteuid() == 0))
    func owner() throws {
        try Self.withFile { file in
            try file.update(creatingFile: true) { list throws(AccessProblem) in list = AccessList() }
            try #require(chown(file.path, 65_534, 65_533) == 0 && chmod(file.path, 0o400) == 0)
            try file.update(creatingFile: false) { list throws(AccessProblem) in list = AccessList() }
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.ownerAccountID] as? Int == 65_534 && attributes[.groupOwnerAccountID] as? Int == 65_533)
            #expect(attributes[.posixPermissions] as? Int == 0o400)
        }
    }

    @Test("While a list is missing, every token is refused, until one without a mistake is back")
    func vanished() throws {
        try Self.withFile { file in
            let holders = try Holders()
            try file.update(creatingFile: true) { list throws(AccessProblem) in list = holders.list }
            let lines = LinesOfLog()
            let control = AccessControl(
                file: file, reading: try file.read(), perSecond: 100, logger: Logger(label: "test") { _ in lines })
            func refusal() -> AccessRefusal? {
                control.judge(
                    .scope(.report), authorization: ["Bearer \(holders.text("report"))"], client: { nil },
                    now: Self.now, instant: .now
                ).refusal
            }
            #expect(refusal() == nil)
            try Self.write("{", to: file)
            #expect(refusal() == nil && refusal() == nil)
            try FileManager.default.removeItem(atPath: file.path)
            #expect(refusal() == .unknown && refusal() == .unknown)
            #expect(lines.lines.filter { $0.contains("every token is refused") }.count == 1)
            try Self.write("[", to: file)
            #expect(refusal() == .unknown)
            try FileManager.default.removeItem(atPath: file.path)
            try file.update(creatingFile: true) { list throws(AccessProblem) in list = holders.list }
            #expect(refusal() == nil)
        }
    }

    @Test("A file that others can read or write is refused", arguments: [0o644, 0o640, 0o604, 0o620, 0o601])
    func modes(_ mode: Int) throws {
        try Self.withFile { file in
            try file.update(creatingFile: true) { list throws(AccessProblem) in list = AccessList() }
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let problem = AccessProblem.openToOthers(file: file.path, mode: "0" + String(mode, radix: 8))
            #expect(throws: problem) { try file.load() }
            #expect(problem.hint == "chmod 600 \(file.path)")
        }
    }

    static let digest = String(repeating: "0", count: 64)
    static let good = #"{"name":"a","scopes":["sign"],"sha256":"\#(digest)","created":"2026-01-31T12:00:00Z"}"#

    /// The good token with something else in place of a text.
    private static func good(_ text: String, _ replacement: String) -> String {
        good.replacingOccurrences(of: text, with: replacement)
    }

    /// The good token with another end.
    private static func ending(_ member: String) -> String {
        good("}", member)
    }

    static let documents: [(String, String)] = [
        ("", "the file: found an empty text, expected one JSON object"),
        ("[]", "the file: found something else at byte 0, expected a JSON object"),
        ("{}", "tokens: found nothing, expected an array"),
        (#"{"tokens":null}"#, "tokens: found null, expected an array"),
        (#"{"tokens":[{}]}"#, "tokens[0].name: found nothing, expected a string"),
        (#"{"tokens":[],"tokens":[]}"#, #"the file: found "tokens" twice, expected each name once"#),
        (ending(#","name":"b"}"#), #"tokens[0]: found "name" twice, expected each name once"#),
        (
            ending(#","expire":"2026-02-28"}"#),
            "tokens[0]: found an unknown name (number 5, not shown), expected one of the names id, name, scopes"
        ),
        (#"{"tokens":[],"more":1}"#, #"the file: found an unknown name (number 2, not shown), expected only "tokens""#),
        (
            good(#""a""#, #""A\#(digest)""#),
            "tokens[0].name: found a string of 65 bytes, which is not shown, expected 1 to 64"
        ),
        (good(#""a""#, #""A""#), "tokens[0].name: found the string \"A\", expected 1 to"),
        (good(#"["sign"]"#, "[]"), "tokens[0].scopes: found none, expected some of sign"),
        (
            good(#"["sign"]"#, #"["sign","root"]"#),
            "tokens[0].scopes[1]: found the string \"root\", expected one of sign, report"
        ),
        (
            ending(#","networks":[""]}"#),
            "tokens[0].networks[0]: found the string \"\", expected a string of 1 to 255 bytes"
        ),
        (
            ending(#","networks":["\u0001"]}"#),
            #"tokens[0].networks[0]: found the string "\u{1}", expected an ad network id of letters"#
        ),
        (
            ending(#","networks":["a.b","a,b"]}"#),
            #"tokens[0].networks[1]: found the string "a,b", expected an ad network id of letters, digits, dots"#
        ),
        (ending(#","networks":[" "]}"#), #"tokens[0].networks[0]: found the string " ""#),
        (
            ending(",\"networks\":[\"skan_\(digest)\"]}"),
            "tokens[0].networks[0]: found a string of 69 bytes, which is not shown"
        ),
        (
            ending(#","networks":null}"#),
            "tokens[0].networks: found null, expected ad network ids, or no such member for every network"
        ),
        (
            ending(#","apps":[]}"#),
            "tokens[0].apps: found an empty array, expected App Store ids as strings, or no such member for every app"
        ),
        (good(#""sign"],"#, #""report"],"apps":["1","x"],"#), #"tokens[0].apps[1]: found the string "x", expected an"#),
        (good(#""sign"],"#, #""report"],"apps":["01"],"#), #"tokens[0].apps[0]: found the string "01", expected an"#),
        (good(#""sign"],"#, #""report"],"apps":[1],"#), "tokens[0].apps[0]: found the number 1, expected a string"),
        (good(#""sign"],"#, #""report","metrics"],"apps":["1"],"#), "tokens[0].apps: found ids with the scope metrics"),
        (
            ending(#","id":"00000001"}"#),
            "tokens[0].id: found the string \"00000001\", expected \"00000000\", the first digits of sha256"
        ),
        (ending(#","id":0}"#), "tokens[0].id: found the number 0, expected a string"),
        (
            ending(",\"skan_\(digest)\":1}"),
            "tokens[0]: found an unknown name (number 5, not shown), expected one of the names"
        ),
        (
            good(#""sign"],"#, #""admin"],"networks":["a.example"],"#),
            "tokens[0].networks: found ids with the scope admin, expected none with scopes"
        ),
        (good(digest, "00"), "tokens[0].sha256: found the string \"00\", expected 64"),
        (good(digest, String(repeating: "G", count: 64)), "tokens[0].sha256"),
        (good("2026-01-31T", "31.1.2026 "), "tokens[0].created"),
        (good("Z\"}", "Z\",\"expires\":\"2026-02-30\"}"), "tokens[0].expires"),
        (good + "," + good, "tokens[1].sha256: found that of a token before, expected no duplicate token"),
    ]

    @Test("A list that breaks a rule is refused, naming token and field", arguments: documents)
    func malformed(_ document: String, _ reason: String) throws {
        try Self.withFile { file in
            try Self.write(document.contains("\"name\"") ? "{\"tokens\":[\(document)]}" : document, to: file)
            let error = #expect(throws: AccessProblem.self) { try file.load() }
            #expect("\(try #require(error))".contains("\(file.path) is not a token list: \(reason)"))
        }
    }

    private static let secret = "0e6b8a4f1c92d7355b7e3a60f4d1c8b92e5f7a134c6d80b1e9f23a5c7d4b6e18"
    /// Lists with a token where none should be, which `@` stands for.
    static let misplacements =
        [
            #"{"@":[]}"#, #"{"@":1,"@":1}"#, #"{"tokens":"@"}"#, #"{"tokens":[{"@":1}]}"#,
            #"{"tokens":[{"@":1,"@":1}]}"#, #"{"tokens":[{"name":"@ "}]}"#, #"{"tokens":[{"name":{"@":1}}]}"#,
            #"{"tokens":[{"name":@}]}"#, #"{"tokens":["@"]}"#, #"{"tokens":[{"name":"a","scopes":["@"]}]}"#,
            #"{"tokens":[{"name":"a","scopes":["sign"],"networks":["@\u0001"]}]}"#,
            #"{"tokens":[{"name":"a","scopes":["sign"],"sha256":"@@"}]}"#,
            #"{"tokens":[{"name":"a","scopes":["sign"],"sha256":"\#(digest)","created":"@"}]}"#,
        ]
        + [#","token":"@"}"#, #","expires":"@"}"#].map { member in
            "{\"tokens\":[\(ending(member))]}"
        }

    @Test(
        "No part of a token that is misplaced in a list is shown, whatever its spelling", arguments: misplacements,
        [
            AccessToken.prefix + secret, secret, (AccessToken.prefix + secret).uppercased(),
            String(repeating: "70", count: 32),
        ])
    func misplacedToken(_ list: String, _ token: String) throws {
        try Self.withFile { file in
            try Self.write(list.replacingOccurrences(of: "@", with: token), to: file)
            let problem = try #require(throws: AccessProblem.self) { try file.load() }
            let shown = "\(problem) \(problem.hint ?? "")"
            #expect(!shown.contains(token.suffix(8)) && !shown.contains(token.suffix(64).prefix(8)), "\(shown)")
        }
    }

    @Test(
        "A name that is nearly right is answered with the right one",
        arguments: [
            (ending(#","expire":null}"#), "write expires"), (good("sign", "Report"), "write \"report\""),
        ])
    func nearlyRight(_ document: String, _ cure: String) throws {
        try Self.withFile { file in
            try Self.write("{\"tokens\":[\(document)]}", to: file)
            let problem = #expect(throws: AccessProblem.self) { try file.load() }
            #expect(problem?.hint == cure)
        }
    }

    @Test(
        "A day of expiry may be null, the list of networks empty, as skan writes it, and a network named again",
        arguments: [
            (#","expires":null,"networks":[],"id":"00000000"}"#, 0), (#","networks":["a.b","A.b-1"]}"#, 2),
        ])
    func optionalMembers(_ members: String, _ networks: Int) throws {
        try Self.withFile { file in
            try Self.write("{\"tokens\":[\(Self.ending(members))]}", to: file)
            let grants = try file.load().grants
            #expect(grants.map(\.networks.count) == [networks] && grants.allSatisfy { $0.expires == nil })
        }
    }

    @Test("Changes made at the same time are all kept")
    func concurrency() throws {
        try Self.withFile { file in
            DispatchQueue.concurrentPerform(iterations: 32) { index in
                _ = try? file.update(creatingFile: true) { list throws(AccessProblem) in
                    var generator = SystemRandomNumberGenerator()
                    _ = try list.create(
                        name: "n\(index)", scopes: [.sign], expires: nil, now: Self.now, using: &generator)
                }
            }
            let names = try file.load().grants.map(\.name)
            #expect(Set(names) == Set((0..<32).map { "n\($0)" }))
        }
    }

    @Test("A change that fails leaves the file as it was")
    func failedChange() throws {
        try Self.withFile { file in
            #expect(throws: AccessProblem.self) {
                try file.update(creatingFile: false) { list throws(AccessProblem) in list = AccessList() }
            }
            #expect(throws: AccessProblem.noScope) {
                try file.update(creatingFile: true) { list throws(AccessProblem) in throw .noScope }
            }
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }
}
