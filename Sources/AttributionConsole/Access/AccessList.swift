package import Attribution
package import FoundationEssentials
import StrictJSON

/// Every token the console accepts: at most two live ones per name, so that one can replace the other.
package struct AccessList: Sendable {
    /// How many live tokens one name may have.
    package static let livePerName = 2
    /// How many tokens a list may hold; each is compared with every token presented.
    package static let limit = 256

    /// The tokens' grants in order of creation.
    package private(set) var grants: [AccessGrant] = []

    package init() {}

    /// Creates a token, which is stored nowhere else, and adds its grant; expired ones of the same name are dropped.
    package mutating func create(
        name: String,
        scopes: [AccessScope],
        networks: [AdNetworkID] = [],
        apps: [AppStoreItemID] = [],
        expires: CalendarDay?,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws(AccessProblem) -> (token: AccessToken, grant: AccessGrant) {
        guard AccessGrant.isName(name), !name.holdsToken else {
            throw .badName(name)
        }
        guard !scopes.isEmpty else {
            throw .noScope
        }
        if !networks.isEmpty, let scope = scopes.first(where: { !$0.canBeLimitedToNetworks }) {
            throw .scopeOfAllNetworks(scope)
        }
        if !apps.isEmpty, let scope = scopes.first(where: { !$0.canBeLimitedToApps }) {
            throw .scopeOfAllApps(scope)
        }
        let token = AccessToken(using: &generator)
        let grant = AccessGrant(
            digest: token.digest, name: name, scopes: AccessScope.allCases.filter { scopes.contains($0) },
            networks: networks, apps: apps,
            created: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)), expires: expires)
        guard grant.isLive(at: now) else {
            throw .expiryPassed(expires?.description ?? "")
        }
        let kept = grants.filter { $0.name != name || $0.isLive(at: now) }
        let sameName = kept.filter { $0.name == name }
        guard sameName.count < Self.livePerName else {
            throw .tooManyLive(name: name, ids: sameName.map(\.id))
        }
        guard kept.count < Self.limit else {
            throw .full(limit: Self.limit)
        }
        grants = kept + [grant]
        return (token, grant)
    }

    /// Removes a token by its id, the token itself, or its holder's name if that has only one.
    @discardableResult
    package mutating func revoke(_ which: String) throws(AccessProblem) -> AccessGrant {
        let digest = AccessToken(which)?.digest
        let exact = grants.filter { $0.id == which || $0.digest == digest }
        let matches = exact.isEmpty ? grants.filter { $0.name == which } : exact
        guard let grant = matches.first else {
            // Never show a token, not even one of another list.
            throw .unknown(which.withoutTokens.shortened(to: 64))
        }
        guard matches.count == 1 else {
            throw .ambiguous(name: which, ids: matches.map(\.id))
        }
        grants.removeAll { $0.digest == grant.digest }
        return grant
    }

    /// Judges the values of a request's Authorization lines.
    package func judge(
        authorization: [String],
        needed: AccessScope,
        now: Date
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        do throws(AccessRefusal) {
            return judge(digest: try AccessToken(authorization: authorization).digest, needed: needed, now: now)
        } catch {
            return (nil, error)
        }
    }

    /// Judges a request with a token, or of someone who presented it before; it is unknown if it was revoked meanwhile.
    func judge(
        digest: String,
        needed: AccessScope,
        now: Date
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        guard let grant = grants.first(where: { $0.digest == digest }) else {
            return (nil, .unknown)
        }
        guard grant.isLive(at: now) else {
            return (nil, .expired)
        }
        return (grant, grant.covers(needed) ? nil : .outOfScope(needed: needed))
    }
}

/// The list as a JSON document: `{"tokens": [{"id", "name", "scopes", "networks", "sha256", "created", "expires"}]}`,
/// with `apps` where a token is limited to some: earlier releases read a list without such tokens, and no other.
extension AccessList {
    /// The text of the file, ending in a newline.
    var document: String {
        let items: [JSONText] = grants.map { grant in
            let apps = JSONText.array(grant.apps.map { .string($0.description) })
            return .object(
                [
                    ("id", .string(grant.id)),
                    ("name", .string(grant.name)),
                    ("scopes", .array(grant.scopes.map { .string($0.rawValue) })),
                    ("networks", .array(grant.networks.map { .string($0.text) })),
                ] + (grant.apps.isEmpty ? [] : [("apps", apps)]) + [
                    ("sha256", .string(grant.digest)),
                    ("created", .string(grant.created.formatted(.iso8601))),
                    ("expires", grant.expires.map { .string($0.description) } ?? .null),
                ])
        }
        return JSONText.object(["tokens": .array(items)]).pretty + "\n"
    }

    /// Reads the file's text.
    init(document: [UInt8], file: String) throws(AccessProblem) {
        do throws(DocumentProblem) {
            grants = try Self.grants(document)
        } catch {
            throw .malformed(file: file, reason: error.description, cure: error.cure)
        }
    }

    /// A token, with or without its prefix, is longer.
    private static var longestShown: Int { 31 }

    /// Reads strictly: without its `expires`, for example, a token would be accepted for ever.
    private static func grants(_ document: [UInt8]) throws(DocumentProblem) -> [AccessGrant] {
        let fields = try DocumentFields(
            reading: document, name: "the file", cure: "change the file with skan tokens only",
            longestShown: longestShown)
        try fields.allow("tokens")
        guard fields.has("tokens") else {
            throw fields.problem(
                "tokens", found: "nothing", expected: "an array of objects",
                cure: "change the file with skan tokens only")
        }
        let items = try fields.children("tokens")
        guard items.count <= limit else {
            throw fields.problem(
                "tokens", found: "\(items.count)", expected: "at most \(limit)", cure: "revoke those no longer needed")
        }
        var grants: [AccessGrant] = []
        for item in items {
            let grant = try AccessGrant(item)
            guard !grants.contains(where: { $0.digest == grant.digest }) else {
                throw item.problem(
                    "sha256", found: "that of a token before", expected: "no duplicate token",
                    cure: "remove one of them")
            }
            grants.append(grant)
        }
        return grants
    }
}

extension AccessGrant {
    /// Reads an object of a list.
    fileprivate init(_ fields: DocumentFields) throws(DocumentProblem) {
        try fields.allow("id", "name", "scopes", "networks", "apps", "sha256", "created", "expires")
        func checked<Value>(
            _ name: String, _ expected: String, _ read: (String) -> Value?
        ) throws(DocumentProblem) -> Value {
            guard let value = read(try fields.text(name)) else {
                throw fields.problem(
                    name, found: fields.summary(name), expected: expected, cure: "write \(expected)")
            }
            return value
        }
        let name = try checked("name", "1 to 64 of the characters a-z 0-9 . _ -") { Self.isName($0) ? $0 : nil }
        let scopes: [AccessScope] = try fields.choices("scopes")
        guard !scopes.isEmpty else {
            throw fields.problem(
                "scopes", found: fields.has("scopes") ? "none" : "nothing",
                expected: "some of \(AccessScope.allCases.map(\.rawValue).joined(separator: ", "))",
                cure: "write at least one in brackets")
        }
        guard !fields.has("networks") || fields.hasValue("networks") else {
            throw fields.problem(
                "networks", found: "null", expected: "ad network ids, or no such member for every network",
                cure: "write ids in brackets, or remove networks")
        }
        var networks: [AdNetworkID] = []
        for (index, text) in try fields.texts("networks", mayRepeat: true).enumerated() {
            guard let network = AdNetworkID.ofList(text) else {
                throw fields.problem(
                    "networks[\(index)]", found: fields.summary(.string(text)), expected: AdNetworkID.listRule,
                    cure: "write one such as \"example123.skadnetwork\"")
            }
            networks.append(network)
        }
        if !networks.isEmpty, let scope = scopes.first(where: { !$0.canBeLimitedToNetworks }) {
            throw fields.problem(
                "networks", found: "ids with the scope \(scope.rawValue)",
                expected: "none with scopes that apply to all networks",
                cure: "remove the ids, or all scopes but sign and report")
        }
        let apps = try Self.apps(fields, scopes)
        let digest = try checked("sha256", "64 lowercase hexadecimal digits") { text in
            text.utf8.are64HexadecimalDigits ? text : nil
        }
        self.init(
            digest: digest,
            name: name, scopes: scopes, networks: networks, apps: apps,
            created: try checked("created", "a time such as 2026-01-31T12:00:00Z") {
                try? Date($0, strategy: .iso8601)
            },
            expires: fields.hasValue("expires")
                ? try checked("expires", "a day such as 2026-01-31, or null") { CalendarDay($0) } : nil)
        // Its own digits say what it is; another id would be shown, and could not be revoked.
        guard try fields.optionalText("id") ?? id == id else {
            throw fields.problem(
                "id", found: fields.summary("id"), expected: "\"\(id)\", the first digits of sha256",
                cure: "write \"\(id)\", or remove id")
        }
    }

    /// Reads the apps that a token is limited to; an empty array could be taken for all of them or for none.
    private static func apps(
        _ fields: DocumentFields, _ scopes: [AccessScope]
    ) throws(DocumentProblem) -> [AppStoreItemID] {
        guard fields.has("apps") else {
            return []
        }
        let texts = try fields.texts("apps", mayRepeat: true)
        guard !texts.isEmpty else {
            throw fields.problem(
                "apps", found: fields.hasValue("apps") ? "an empty array" : "null",
                expected: "App Store ids as strings, or no such member for every app",
                cure: "write ids in brackets, or remove apps")
        }
        var apps: [AppStoreItemID] = []
        for (index, text) in texts.enumerated() {
            guard let app = try? AppStoreItemID.ofSetting(text, field: "apps") else {
                throw fields.problem(
                    "apps[\(index)]", found: fields.summary(.string(text)), expected: "an App Store id as a string",
                    cure: "write one such as \"525463029\"")
            }
            apps.append(app)
        }
        if let scope = scopes.first(where: { !$0.canBeLimitedToApps }) {
            throw fields.problem(
                "apps", found: "ids with the scope \(scope.rawValue)",
                expected: "none with scopes that apply to all apps", cure: "remove the ids, or all scopes but report")
        }
        return apps
    }
}
