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

    /// Makes an empty list.
    package init() {}

    init(_ grants: [AccessGrant]) {
        self.grants = grants
    }

    /// Creates a token and adds its grant; expired ones of the same name are dropped.
    ///
    /// - Parameters:
    ///   - name: Who will hold it.
    ///   - scopes: What it may be used for.
    ///   - networks: The ad networks it may be used for; empty for all.
    ///   - expires: The first day (UTC) on which it is no longer accepted; nil for never.
    ///   - now: The current time.
    ///   - generator: A cryptographically secure source of random bits.
    /// - Returns: The token, which is stored nowhere else, and its grant.
    /// - Throws: ``AccessProblem`` for a bad name, no scope, a scope that cannot be limited to networks, a day that has
    ///   passed, a third live token of the name or a full list.
    package mutating func create(
        name: String,
        scopes: [AccessScope],
        networks: [AdNetworkID] = [],
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
        let token = AccessToken(using: &generator)
        let grant = AccessGrant(
            digest: token.digest, name: name, scopes: AccessScope.allCases.filter { scopes.contains($0) },
            networks: networks,
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

    /// Removes a token from the list.
    ///
    /// - Parameter which: The token's id, the token itself, or its holder's name if that has only one token.
    /// - Returns: Its grant.
    /// - Throws: ``AccessProblem/unknown(_:)``, or ``AccessProblem/ambiguous(name:ids:)`` for a name with two tokens.
    @discardableResult
    package mutating func revoke(_ which: String) throws(AccessProblem) -> AccessGrant {
        let digest = AccessToken(which)?.digest
        let exact = grants.filter { $0.id == which || digest.map($0.digest.matches) == true }
        let matches = exact.isEmpty ? grants.filter { $0.name == which } : exact
        guard let grant = matches.first else {
            // Never show a token, not even one of another list.
            throw .unknown(which.withoutTokens.shortened(to: 64))
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
    ///   - needed: What the route requires.
    ///   - now: The current time.
    /// - Returns: The caller, if the token is on the list and live; and why the request is refused, if it is.
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
        // Visits every entry, so that the time does not depend on the index, and copies none.
        var matchingIndex: Int?
        for index in grants.indices where grants[index].digest.matches(digest) {
            matchingIndex = index
        }
        guard let grant = matchingIndex.map({ grants[$0] }) else {
            return (nil, .unknown)
        }
        return Self.judge(grant, needed: needed, now: now)
    }

    /// Judges a request of someone who presented a token before.
    ///
    /// - Parameters:
    ///   - holder: What the token granted then.
    ///   - needed: What the route requires.
    ///   - now: The current time.
    /// - Returns: As ``judge(authorization:needed:now:)``: a token that was revoked meanwhile is unknown.
    package func judge(
        holder: AccessGrant,
        needed: AccessScope,
        now: Date
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        guard let grant = grants.first(where: { $0.digest.matches(holder.digest) }) else {
            return (nil, .unknown)
        }
        return Self.judge(grant, needed: needed, now: now)
    }

    private static func judge(
        _ grant: AccessGrant,
        needed: AccessScope,
        now: Date
    ) -> (caller: AccessGrant?, refusal: AccessRefusal?) {
        guard grant.isLive(at: now) else {
            return (nil, .expired)
        }
        return (grant, grant.covers(needed) ? nil : .outOfScope(needed: needed))
    }
}
