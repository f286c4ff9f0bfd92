import Attribution
import FoundationEssentials
import StrictJSON

/// The list as a JSON document: `{"tokens": [{"id", "name", "scopes", "networks", "sha256", "created", "expires"}]}`.
extension AccessList {
    private struct Document: Decodable {
        struct Item: Decodable {
            let name: String
            let scopes: [String]
            let networks: [String]?
            let sha256: String
            let created: String
            let expires: String?
        }

        let tokens: [Item]
    }

    /// The text of the file, ending in a newline.
    var document: String {
        let items: [JSONText] = grants.map { grant in
            .object([
                "id": .string(grant.id),
                "name": .string(grant.name),
                "scopes": .array(grant.scopes.map { .string($0.rawValue) }),
                "networks": .array(grant.networks.map { .string($0.text) }),
                "sha256": .string(grant.digest.hexadecimal),
                "created": .string(grant.created.formatted(.iso8601)),
                "expires": grant.expires.map { .string($0.description) } ?? .null,
            ])
        }
        return JSONText.object(["tokens": .array(items)]).pretty + "\n"
    }

    /// Reads the file's text.
    ///
    /// - Parameters:
    ///   - document: The bytes.
    ///   - file: Its name, for messages.
    /// - Throws: ``AccessProblem/malformed(file:reason:)`` naming the token and field.
    init(document: [UInt8], file: String) throws(AccessProblem) {
        let items: [Document.Item]
        do {
            items = try JSONDecoder().decode(Document.self, from: Data(document)).tokens
        } catch {
            throw .malformed(file: file, reason: "expected {\"tokens\": [...]} with name, scopes, sha256, created")
        }
        guard items.count <= Self.limit else {
            throw .malformed(file: file, reason: "found \(items.count) tokens, expected at most \(Self.limit)")
        }
        var grants: [AccessGrant] = []
        for (index, item) in items.enumerated() {
            func problem(_ field: String, _ expected: String) -> AccessProblem {
                .malformed(file: file, reason: "token \(index + 1): \(field): expected \(expected)")
            }
            guard AccessGrant.isName(item.name) else {
                throw problem("name", "1 to 64 of the characters a-z 0-9 . _ -")
            }
            let scopes = item.scopes.compactMap { AccessScope(rawValue: $0) }
            guard scopes.count == item.scopes.count, !scopes.isEmpty else {
                throw problem("scopes", "some of \(AccessScope.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            let networks = (item.networks ?? []).compactMap { AdNetworkID($0) }
            guard networks.count == item.networks?.count ?? 0 else {
                throw problem("networks", "ad network ids")
            }
            guard networks.isEmpty || scopes.allSatisfy(\.canBeLimitedToNetworks) else {
                throw problem("networks", "none with scopes that apply to all networks")
            }
            guard let digest = AccessDigest(hexadecimal: item.sha256) else {
                throw problem("sha256", "64 lowercase hexadecimal digits")
            }
            guard let created = try? Date(item.created, strategy: .iso8601) else {
                throw problem("created", "a time such as 2026-01-31T12:00:00Z")
            }
            let expires = item.expires.flatMap { CalendarDay($0) }
            guard (expires == nil) == (item.expires == nil) else {
                throw problem("expires", "YYYY-MM-DD or null")
            }
            guard !grants.contains(where: { $0.digest.matches(digest) }) else {
                throw problem("sha256", "no duplicate token")
            }
            grants.append(
                AccessGrant(
                    digest: digest, name: item.name, scopes: scopes, networks: networks, created: created,
                    expires: expires))
        }
        self.init(grants)
    }
}
