import Attribution
import AttributionAccess
import AttributionListener
import AttributionSigning
import AttributionStore
package import Foundation
import PostgreSQLStore

/// What a server would start with, checked without starting it: neither store nor ports are opened.
package struct ServerCheck: Sendable {
    /// What was found, for display.
    package private(set) var findings: [(name: String, finding: String)] = []
    /// Everything that would keep the server from starting.
    package private(set) var problems: [any Error] = []

    /// Checks everything that a configuration names.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - now: The current time.
    package init(_ configuration: ServerConfiguration, at now: Date) {
        problems = configuration.problems
        for proxy in configuration.trustedProxies {
            _ = attempt { try TrustedProxies([proxy]) }
        }
        find("postbacks", "\(configuration.listenScheme)://\(configuration.listen)")
        find("console", "\(configuration.consoleScheme)://\(configuration.console)")
        find("networks", configuration.networks.isEmpty ? "all" : configuration.networks.joined(separator: ", "))
        check(store: configuration.store)
        check(configuration, Credentials(reading: configuration, at: now), now)
        for file in configuration.testKeys {
            if let key = attempt({ try SignaturePublicKey(file: file) }) {
                find("test key", "\(file): \(key.curve.displayName) SHA256:\(key.fingerprint)")
            }
        }
    }

    private mutating func find(_ name: String, _ finding: String) {
        findings.append((name, finding))
    }

    private mutating func attempt<Value>(_ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            problems.append(error)
            return nil
        }
    }

    private mutating func check(store: String) {
        guard !store.isEmpty else {
            return
        }
        guard !PostgreSQLAddress.isAddress(store) else {
            if let location = attempt({ try StoreLocation(store) }) {
                find("store", "\(location.name): its servers are not asked")
            }
            return
        }
        let url = URL(fileURLWithPath: store)
        let folder = url.deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        switch attributes?[.type] as? FileAttributeType {
        case .typeRegular?:
            find("store", "\(store): exists, \(attributes?[.size] ?? 0) bytes")
        case nil where FileManager.default.fileExists(atPath: folder):
            find("store", "\(store): does not exist yet; it will be created")
        case nil:
            problems.append(StoreError.noFolder(path: store, folder: folder))
        default:
            problems.append(StoreError.notAStore(path: store))
        }
    }

    private mutating func check(_ configuration: ServerConfiguration, _ credentials: Credentials, _ now: Date) {
        problems += credentials.problems.map(\.error)
        if let identity = credentials.identity {
            let days = Int(identity.notValidAfter.timeIntervalSince(now) / 86_400)
            find(
                "certificate",
                "\(configuration.tlsCertificate ?? ""): expires \(identity.notValidAfter.formatted(.iso8601)), "
                    + "in \(days) days" + (identity.endsSoon(at: now) ? "; renew it soon" : ""))
        }
        if let grants = credentials.tokens?.list.grants {
            let live = grants.count { $0.isLive(at: now) }
            find("tokens", "\(configuration.tokens ?? ""): \(live) live, \(grants.count - live) expired")
        }
        for entry in credentials.keys?.entries ?? [] {
            let versions = "\(entry.versions.lowerBound.rawValue)-\(entry.versions.upperBound.rawValue)"
            find(
                "signing key",
                "\(entry.adNetworkID) \(versions) \(entry.isActive ? "active" : "verify-only") "
                    + "\(entry.publicKey.curve.displayName) SHA256:\(entry.publicKey.fingerprint)")
        }
    }
}
