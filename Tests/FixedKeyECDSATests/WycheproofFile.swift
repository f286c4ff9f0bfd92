import Foundation
import StrictJSON

/// A file of known-answer tests of the project C2SP/wycheproof for ECDSA verification.
struct WycheproofFile: Decodable {
    struct Group: Decodable {
        let publicKey: PublicKey
        let tests: [Case]
    }

    struct PublicKey: Decodable {
        let uncompressed: String
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let flags: [String]
        let msg: String
        let sig: String
        let result: String
    }

    let numberOfTests: Int
    let testGroups: [Group]

    init(_ name: String, in folder: URL) throws {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        self = try JSONDecoder().decode(Self.self, from: data)
    }
}
