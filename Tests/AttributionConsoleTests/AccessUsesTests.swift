import Attribution
import AttributionConsole
import Foundation
import Logging
import TestSupport
import Testing

@Suite("When tokens were last used")
struct AccessUsesTests {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// A list of two tokens in a folder of its own.
    final class Folder {
        let url: URL
        let file: AccessFile
        let lines = LinesOfLog()
        private(set) var tokens: [String] = []
        private(set) var ids: [String] = []

        init() throws {
            url = FileManager.default.temporaryDirectory.appending(path: "uses-\(UUID())")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            file = AccessFile(url.appending(path: "tokens.json").path)
            for name in ["a", "b"] {
                let (token, grant) = try file.update(creatingFile: true) { list throws(AccessProblem) in
                    var generator = SystemRandomNumberGenerator()
                    return try list.create(
                        name: name, scopes: [.report], expires: nil, now: AccessUsesTests.now, using: &generator)
                }
                tokens.append(token.text)
                ids.append(grant.id)
            }
        }

        deinit {
            try? FileManager.default.removeItem(at: url)
        }

        func control() throws -> AccessControl {
            let lines = lines
            return AccessControl(
                file: file, reading: try file.read(), perSecond: 100, logger: Logger(label: "test") { _ in lines })
        }

        var uses: [String: Int64] {
            get throws { try AccessUses(of: file, logger: .silent).load() }
        }
    }

    private static func use(
        _ token: String, _ control: AccessControl, after seconds: Double, scope: AccessScope = .report
    ) -> AccessRefusal? {
        control.judge(
            .scope(scope), authorization: ["Bearer \(token)"], client: { nil }, now: now + seconds, instant: .now
        ).refusal
    }

    @Test("The file is written once a minute at most, and at the end")
    func interval() throws {
        let folder = try Folder()
        let control = try folder.control()
        let start = ContinuousClock.now
        func uses(_ first: Int64?, _ second: Int64?) -> [String: Int64] {
            var uses: [String: Int64] = [:]
            uses[folder.ids[0]] = first.map { 1_790_000_000 + $0 }
            uses[folder.ids[1]] = second.map { 1_790_000_000 + $0 }
            return uses
        }
        control.saveUses(at: start)
        #expect(try folder.uses.isEmpty)
        #expect(Self.use(folder.tokens[0], control, after: 1) == nil)
        control.saveUses(at: start)
        #expect(try folder.uses == uses(1, nil))
        // A request that is refused for its scope is a use, too.
        #expect(Self.use(folder.tokens[1], control, after: 2, scope: .sign) == .outOfScope(needed: .sign))
        #expect(Self.use(folder.tokens[0], control, after: 3) == nil)
        control.saveUses(at: start + .seconds(59))
        #expect(try folder.uses == uses(1, nil))
        control.saveUses(at: start + .seconds(60))
        #expect(try folder.uses == uses(3, 2))
        #expect(Self.use(folder.tokens[1], control, after: 4) == nil)
        control.saveUses(at: nil)
        #expect(try folder.uses == uses(3, 4))
        // Another server with the same list, which has seen less.
        let other = try folder.control()
        #expect(Self.use(folder.tokens[0], other, after: 5) == nil)
        other.saveUses(at: nil)
        #expect(try folder.uses == uses(5, 4))
    }

    @Test("Keeping uses never writes the list: a revocation stays, and the revoked token is forgotten")
    func revocation() throws {
        let folder = try Folder()
        let control = try folder.control()
        for token in folder.tokens { #expect(Self.use(token, control, after: 1) == nil) }
        control.saveUses(at: nil)
        try folder.file.update(creatingFile: false) { [id = folder.ids[0]] list throws(AccessProblem) in
            _ = try list.revoke(id)
        }
        let list = try Data(contentsOf: URL(filePath: folder.file.path))
        #expect(Self.use(folder.tokens[1], control, after: 2) == nil)
        control.saveUses(at: nil)
        #expect(try Data(contentsOf: URL(filePath: folder.file.path)) == list)
        #expect(Self.use(folder.tokens[0], control, after: 3) == .unknown)
        #expect(try Set(folder.uses.keys) == [folder.ids[1]])
    }

    @Test("The file is its owner's alone, and keeps the mode it was given")
    func modes() throws {
        let folder = try Folder()
        let control = try folder.control()
        let path = folder.file.path + "-uses"
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(Self.use(folder.tokens[0], control, after: 1) == nil)
        control.saveUses(at: nil)
        #expect(try mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(Self.use(folder.tokens[0], control, after: 2) == nil)
        control.saveUses(at: nil)
        #expect(try mode() == 0o640)
    }

    @Test("Where it cannot be written, that is said once, and tokens are judged as before")
    func unwritable() throws {
        let folder = try Folder()
        let control = try folder.control()
        // A folder at its path, which not even root can replace with a file.
        try FileManager.default.createDirectory(
            atPath: folder.file.path + "-uses/x", withIntermediateDirectories: true)
        for seconds in 1...3 {
            #expect(Self.use(folder.tokens[0], control, after: Double(seconds)) == nil)
            control.saveUses(at: nil)
        }
        #expect(folder.lines.lines.filter { $0.contains("cannot be saved") }.count == 1)
        #expect(throws: AccessProblem.self) { try folder.uses }
    }
}

@Suite("How the console refuses")
struct AccessRefusalTests {
    static let refusals: [(AccessRefusal, Int, String?, Duration?)] = [
        (.noCredentials, 401, #"Bearer realm="skan""#, nil),
        (.malformed, 400, #"error="invalid_request""#, nil),
        (.unknown, 401, #"error="invalid_token""#, nil),
        (.expired, 401, #"error="invalid_token""#, nil),
        (.outOfScope(needed: .sign), 403, #"error="insufficient_scope", scope="sign""#, nil),
        (.outOfNetwork(allowed: ["a"]), 403, nil, nil),
        (.outOfApp(allowed: ["1"]), 403, nil, nil),
        (.foreignHost, 403, nil, nil),
        (.tooFast(retryAfter: .milliseconds(1)), 429, nil, .milliseconds(1)),
    ]

    @Test("Status and challenge of RFC 6750, and when to try again, RFC 6585", arguments: refusals)
    func statuses(_ refusal: AccessRefusal, _ status: Int, _ challenge: String?, _ retryAfter: Duration?) {
        #expect(refusal.code.httpStatus == status)
        #expect(refusal.challenge?.contains(challenge ?? "none") ?? (challenge == nil))
        #expect(refusal.challenge?.hasPrefix(#"Bearer realm="skan""#) ?? true)
        #expect(refusal.retryAfter == retryAfter)
    }
}
