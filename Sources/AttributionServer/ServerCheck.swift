import Attribution
import AttributionConsole
import AttributionForwarding
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
package import Foundation
import Platform
import PostgreSQLStore
import SQLiteStore

/// What a server would start with, checked without starting it.
///
/// Every file is read, the store is asked for its postbacks, and all addresses are listened on for a moment. No store is
/// created or changed, and a running server is not disturbed; its store and its ports are reported as in use.
package struct ServerCheck: Sendable {
    /// What was found, for display.
    package private(set) var findings: [(name: String, finding: String)] = []
    /// Everything that would keep the server from starting.
    package private(set) var problems: [any Error] = []

    /// Checks everything that a configuration names.
    package init(_ configuration: ServerConfiguration, at now: Date) async {
        let credentials = Credentials(reading: configuration, at: now)
        problems = configuration.problems
        for proxy in configuration.trustedProxies {
            _ = attempt { try TrustedProxies([proxy]) }
        }
        if configuration.store != nil {
            find("postbacks", "\(configuration.listenScheme)://\(configuration.listen)")
        }
        if attempt({ try PublicRoutes(postbackPaths: configuration.postbackPaths) }) != nil {
            for path in configuration.postbackPaths { find("postback path", path) }
        }
        switch configuration.signing {
        case .port(let address)?: find("signing", "\(configuration.signingScheme)://\(address)")
        case .socket(let path)?: find("signing", "socket \(path)")
        case nil: break
        }
        find("console", "\(configuration.consoleScheme)://\(configuration.console)")
        problems += configuration.listeningProblems
        find(
            "networks",
            configuration.networks.isEmpty
                ? "all count as ours, and so do Apple's published samples; give --network ID"
                : configuration.networks.joined(separator: ", "))
        if let counts = configuration.counts, attempt({ try CountsFile(counts).check() }) != nil {
            find("counts", counts)
        }
        if let path = configuration.store, let store = attempt({ try StoreLocation(path) }) {
            await check(store, hasWebAds: configuration.signingKeys != nil, makes: configuration.makesStore)
        }
        check(configuration, credentials, now)
        await check(credentials.keys?.externalKeys ?? [])
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

    // MARK: The store

    private mutating func check(_ store: StoreLocation, hasWebAds: Bool, makes: Bool) async {
        guard case .file(let path) = store else {
            return await read(store, "", makes: makes)
        }
        guard let found = attempt({ try SQLiteLedgerWriter.check(path) }) else {
            return
        }
        guard let (version, isOwned) = found else {
            guard makes else { return problems.append(StoreError.notToBeMade(path: path)) }
            return find("store", "\(path): does not exist yet; it will be created")
        }
        if isOwned {
            problems.append(StoreError.inUse(path: path))
        }
        await read(store, "version \(version), \(isOwned ? "owned by another process" : "no owner"), ")
        guard hasWebAds, !isOwned else {
            return
        }
        guard let file = attempt({ try ResolvedPath(store: path).text }) else {
            return
        }
        let webAds = SQLiteWebAdLedger.path(besideStore: file)
        if let found = attempt({ try SQLiteWebAdLedger.check(webAds) }) {
            find("web ads", "\(webAds): \(found.map { "version \($0.version)" } ?? "does not exist yet")")
            if found?.isOwned == true {
                problems.append(StoreError.inUse(path: webAds))
            }
        }
    }

    /// Counts the postbacks of a store.
    private mutating func read(_ store: StoreLocation, _ description: String, makes: Bool = true) async {
        do {
            let reader = try store.makeReader()
            defer { reader.close() }
            let answer = try await reader.answer(LedgerQuestion())
            let count = Traffic.allCases.reduce(0) { $0 + answer.deliveries.count(.recorded, $1) }
            let isDamaged = !answer.damaged.isEmpty || answer.unreadableCount > 0
            find(
                "store",
                "\(store.name): \(description)\(count) postbacks"
                    + (isDamaged ? "; parts of it are damaged: skan recount --store \(store.name) names them" : ""))
        } catch StoreError.emptyDatabase(let name) where makes {
            find("store", "\(name): has no tables yet; they will be made")
        } catch {
            problems.append(error)
        }
    }

    // MARK: Files

    private mutating func check(_ configuration: ServerConfiguration, _ credentials: Credentials, _ now: Date) {
        problems += credentials.problems.map(\.error)
        if let identity = credentials.identity {
            let days = Int(identity.notValidAfter.timeIntervalSince(now) / 86_400)
            find(
                "certificate",
                "\(configuration.tlsCertificate ?? ""): expires \(identity.notValidAfter.formatted(.iso8601)), "
                    + "in \(days) days" + (identity.endsSoon(at: now) ? "; renew it soon" : ""))
            if let fault = identity.chainFault {
                find("certificate chain", "\(configuration.tlsCertificate ?? ""): \(fault.message); \(fault.hint)")
            }
        }
        if let grants = credentials.tokens?.list.grants {
            let live = grants.count { $0.isLive(at: now) }
            find("tokens", "\(configuration.tokens ?? ""): \(live) live, \(grants.count - live) expired")
            for grant in grants {
                find("token", Self.description(of: grant, at: now))
            }
        }
        let added = credentials.appleKeys?.records ?? []
        let keys = configuration.store.flatMap { _ in attempt { try PostbackVerifier(added: added).appleKeys } }
        for key in keys ?? [] {
            find(key.isAdded ? "added key" : "built-in key", "\(key.name): \(key.summary)")
        }
        for warning in credentials.appleKeys?.warnings ?? [] {
            find("Apple's keys", warning)
        }
        for entry in credentials.keys?.entries ?? [] {
            find("signing key", entry.summary + (entry.adNetworkID.caseWarning.map { "; \($0)" } ?? ""))
        }
        if let references = credentials.references {
            check(references)
        }
        for destination in credentials.destinations ?? [] {
            find("destination", destination.summary)
        }
    }

    /// Has every external signer sign something; a server starts without them, too.
    private mutating func check(_ keys: Set<ExternalKey>) async {
        guard !keys.isEmpty else { return }
        for (key, verdict) in await ExternalSigners(connectedTo: keys).checked() {
            let finding =
                switch verdict {
                case .success: "signs as \(key.id)"
                case .failure(let error): "\(error.message); until it signs, requests for its networks are refused"
                }
            find("external signer", "unix:\(key.socket): \(finding)")
        }
    }

    private mutating func check(_ references: ReportReferences) {
        for app in references.schemas.apps {
            let days = references.schemas.schemas(of: app).map(\.title)
            find("schemas", "app \(app): \(days.joined(separator: "; "))")
        }
        if let campaigns = references.campaigns {
            let count = campaigns.conflicts.count
            find(
                "campaigns",
                "\(campaigns.campaigns.count) with names"
                    + (count > 0 ? "; \(count) share an id too closely: skan campaigns check names them" : ""))
        }
    }

    private static func description(of grant: AccessGrant, at now: Date) -> String {
        let scopes = grant.scopes.map(\.rawValue).joined(separator: ", ")
        let limits = grant.limits ?? "all networks"
        let end = grant.expires.map { "\(grant.isLive(at: now) ? "expires" : "expired") \($0)" } ?? "never expires"
        return "\(grant.name) \(grant.id): \(scopes); \(limits); \(end)"
    }
}

extension NetworkKeySet.Entry {
    /// Network, versions, use and public key, in one line.
    package var summary: String {
        "\(adNetworkID) \(versions.lowerBound.rawValue)-\(versions.upperBound.rawValue) \(useInWords) "
            + "\(publicKey.curve.displayName) SHA256:\(publicKey.fingerprint)"
    }
}
