package import Attribution
package import FoundationEssentials
import StrictJSON

/// What one token grants, and to whom, without the token itself.
package struct AccessGrant: Sendable {
    /// The SHA-256 digest of the token, as 64 lowercase hexadecimal digits.
    let digest: String
    /// Its holder: 1 to 64 of the characters `a-z 0-9 . _ -`, safe in logs and labels.
    package let name: String
    /// What it may be used for; never empty.
    package let scopes: [AccessScope]
    /// The ad networks it may be used for; empty for all.
    package let networks: [AdNetworkID]
    /// The advertised apps that it may know of; empty for all.
    package let apps: [AppStoreItemID]
    /// When it was created, to the second.
    package let created: Date
    /// The first day (UTC) on which it is no longer accepted; nil when it does not expire.
    package let expires: CalendarDay?

    /// The first digits of the token's digest, which distinguish tokens with the same name in lists and logs.
    package var id: String {
        String(digest.prefix(8))
    }

    /// Whether the token is still accepted: until the start of the day it expires on.
    package func isLive(at moment: Date) -> Bool {
        expires.map { moment < Date(timeIntervalSince1970: Double($0.start(in: .gmt)) / 1000) } ?? true
    }

    /// Whether one of its scopes opens a route.
    package func covers(_ needed: AccessScope) -> Bool {
        scopes.contains { $0.covers(needed) }
    }

    /// Whether it may be used for an ad network, whose id is in any case.
    package func allows(network: String) -> Bool {
        networks.isEmpty || networks.contains { $0.registered == network.lowercasedASCII }
    }

    /// Whether it may know of an advertised app.
    package func allows(app: String) -> Bool {
        apps.isEmpty || apps.contains { $0.description == app }
    }

    /// Whether it is limited to some networks or apps.
    package var isLimited: Bool {
        !networks.isEmpty || !apps.isEmpty
    }

    /// Its holder and the apps that it is limited to, for pages.
    var title: String {
        apps.isEmpty ? name : "\(name), for app \(apps.map(\.description).joined(separator: ", "))".shortened(to: 100)
    }

    /// What it is limited to, in words; nil for everything.
    package var limits: String? {
        let limits = networks.map(\.text) + apps.map { "app \($0)" }
        return limits.isEmpty ? nil : limits.joined(separator: ", ")
    }

    /// Why it cannot be used for a route, whatever is asked of it there; nil if it can.
    func refusal(of route: ConsoleRoute) -> AccessRefusal? {
        guard apps.isEmpty else {
            return route.canBeLimitedToApps ? nil : .outOfApp(allowed: apps.map(\.description), canName: false)
        }
        return networks.isEmpty || route.namesNetworks
            ? nil : .outOfNetwork(allowed: networks.map(\.text), canName: false)
    }

    /// Whether a text can be the name of a holder.
    static func isName(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z0-9._-]{1,64}/) != nil
    }
}

/// What a token of the console may be used for.
package enum AccessScope: String, CaseIterable, Sendable {
    /// Signing impressions.
    case sign
    /// Reading reports, metrics, the quarantine and recorded postbacks.
    case report
    /// Reading metrics, and nothing else.
    case metrics
    /// Changing the store: requeueing and pruning the quarantine, repair.
    case manage
    /// Everything: all other scopes, and routes that require this one.
    case admin

    /// Whether holding this scope opens a route that needs another.
    package func covers(_ needed: AccessScope) -> Bool {
        self == needed || self == .admin || self == .report && needed == .metrics
    }

    /// Whether it can be limited to some ad networks.
    package var canBeLimitedToNetworks: Bool {
        self == .sign || self == .report
    }

    /// Whether it can be limited to some apps.
    package var canBeLimitedToApps: Bool {
        self == .report
    }
}

/// What a request needs to reach a route.
package enum RouteAccess: Sendable, Hashable {
    /// Nothing: for health probes.
    case open
    /// A token with this scope, when the console has a list of tokens.
    case scope(AccessScope)
}
