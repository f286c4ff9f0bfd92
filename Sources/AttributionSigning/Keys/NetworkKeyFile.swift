import Foundation
import StrictJSON

/// The JSON format of a key list; ``NetworkKeySet`` checks its rules.
struct NetworkKeyFile: Decodable {
    let keys: [Item]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case keys
    }

    init(from decoder: any Decoder) throws {
        try NetworkKeyFile.refuseUnknownMembers(of: decoder, known: CodingKeys.allCases.map(\.rawValue))
        keys = try decoder.container(keyedBy: CodingKeys.self).decode([Item].self, forKey: .keys)
    }

    struct Item: Decodable {
        enum Use: String, Decodable {
            case active
            case verifyOnly = "verify-only"
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case adNetworkID = "ad-network-id"
            case registryID = "registry-id"
            case file, versions, use, signer
            case keyID = "key-id"
        }

        let adNetworkID: String
        let file: String
        let signer: String?
        let keyID: String?
        let versions: String
        let use: Use
        let registryID: Int64?

        init(from decoder: any Decoder) throws {
            try NetworkKeyFile.refuseUnknownMembers(of: decoder, known: CodingKeys.allCases.map(\.rawValue))
            let members = try decoder.container(keyedBy: CodingKeys.self)
            adNetworkID = try members.decode(String.self, forKey: .adNetworkID)
            file = try members.decode(String.self, forKey: .file)
            versions = try members.decode(String.self, forKey: .versions)
            use = try members.decode(Use.self, forKey: .use)
            signer = try members.decodeIfPresent(String.self, forKey: .signer)
            keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
            registryID = try members.decodeIfPresent(Int64.self, forKey: .registryID)
        }
    }

    /// A member with an unknown, probably misspelt name.
    struct UnknownMember: Error {}

    /// Refuses members with unknown names.
    private static func refuseUnknownMembers(of decoder: any Decoder, known: [String]) throws {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) {
                self.stringValue = stringValue
            }

            init?(intValue: Int) {
                return nil
            }
        }
        let names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        guard let unknown = names.sorted().first(where: { !known.contains($0) }) else {
            return
        }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "unknown member \"\(unknown.shortened(to: 60))\"; expected "
                    + known.joined(separator: ", "),
                underlyingError: UnknownMember()))
    }
}
