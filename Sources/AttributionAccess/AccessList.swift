package import Attribution
package import FoundationEssentials
import StrictJSON

/// Every token the console accepts: at most two live ones a name, so that one can take over from the other.
package struct AccessList: Sendable {
    /// How many tokens of one name may be live at once.
    package static let livePerName = 2
    /// How many tokens a list may hold; every one is compared with each token presented.
    package static let limit = 256

    /// The tokens' grants in the order they were made.
    package private(set) var grants: [AccessGrant] = []

    /// Makes an empty list.
    package init() {}

    init(_ grants: [AccessGrant]) {
        self.grants = grants
    }

    /// Makes a token and adds what it grants; expired ones of the same name are dropped.
    ///
    /// - Parameters:
    ///   - name: Who will hold it.
    ///   - scopes: What it may be used for.
    ///   - networks: The ad networks it may be used for; empty for all.
    ///   - expires: The first day (UTC) on which it is no longer accepted; nil for never.
    ///   - now: The present.
    ///   - generator: A cryptographically secure source of random bits.
    /// - Returns: The token, which is kept nowhere else, and what it grants.
    /// - Throws: ``AccessProblem`` for a bad name, no scope, a scope that cannot be limited to networks, a day that has passed, a third live token of the name or a
    ///   full list.
    package mutating func create(
        name: String,
        scopes: [AccessScope],
        networks: [AdNetworkID] = [],
        expires: CalendarDay?,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws(AccessProblem) -> (token: AccessToken, grant: AccessGrant) {
        guard AccessGrant.isName(name) else {
            throw .badName(name)
        }
        guard !scopes.isEmpty else {
            throw .noScope
        }
        if !networks.isEmpty, let scope = scopes.first(where: { !$0.canBeLimitedToNetworks }) {
            throw .scopeOfAllNetworks(scope)
        }
        let token = AccessToken(using: &generator)
        let grant = AccessGrant(
            digest: token.digest, name: name, scopes: AccessScope.allCases.filter { scopes.contains($0) },
            networks: networks,
            created: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)), expires: expires)
        guard grant.isLive(at: now) else {
            throw .expiryPassed(expires?.description ?? "")
        }
        let kept = grants.filter { $0.name != name || $0.isLive(at: now) }
        let rivals = kept.filter { $0.name == name }
        guard rivals.count < Self.livePerName else {
            throw .tooManyLive(name: name, ids: rivals.map(\.id))
        }
        guard kept.count < Self.limit else {
            throw .full(limit: Self.limit)
        }
        grants = kept + [grant]
        return (token, grant)
    }

    /// Takes a token off the list.
    ///
    /// - Parameter which: The token's id, the token itself, or its holder's name when that has one token only.
    /// - Returns: What it granted.
    /// - Throws: ``AccessProblem/unknown(_:)``, or ``AccessProblem/ambiguous(name:ids:)`` for a name with two tokens.
    @discardableResult
    package mutating func revoke(_ which: String) throws(AccessProblem) -> AccessGrant {
        let digest = AccessToken(which)?.digest
        let exact = grants.filter { $0.id == which || digest.map($0.digest.matches) == true }
        let matches = exact.isEmpty ? grants.filter { $0.name == which } : exact
        guard let grant = matches.first else {
            // A token is not shown, even one of another list.
            throw .unknown(which.hasPrefix(AccessToken.prefix) ? AccessToken.prefix + "…" : which.shortened(to: 64))
        }
        guard matches.count == 1 else {
            throw .ambiguous(name: which, ids: matches.map(\.id))
        }
        grants.removeAll { $0.digest.matches(grant.digest) }
        return grant
    }

    /// Judges the credentials of a request.
    ///
    /// - Parameters:
    ///   - authorization: The values of all its Authorization lines.
    ///   - needed: What the route asks for.
    ///   - now: The present.
    /// - Returns: Who asks, when the token is one of the list and live; and why the request is refused, if it is.
    package func judge(
        authorization: [String],
        needed: AccessScope,
        now: Date
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        let token: AccessToken
        switch BearerCredentials(authorization: authorization) {
        case .none: return (nil, .noCredentials)
        case .malformed: return (nil, .malformed)
        case .token(let text):
            guard let presented = AccessToken(text) else {
                return (nil, .unknown)
            }
            token = presented
        }
        let digest = token.digest
        // Every entry is looked at, wherever the right one stands, and none is copied.
        var found: Int?
        for index in grants.indices where grants[index].digest.matches(digest) {
            found = index
        }
        guard let grant = found.map({ grants[$0] }) else {
            return (nil, .unknown)
        }
        guard grant.isLive(at: now) else {
            return (nil, .expired)
        }
        return (grant, grant.covers(needed) ? nil : .outOfScope(needed: needed))
    }
}
