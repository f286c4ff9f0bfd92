import Foundation

/// A case of the specification: what Apple published, or one fault in it.
struct SpecCase: Sendable {
    let name: String
    /// The bytes of a postback as sent, or of an impression.
    let body: [UInt8]
    let expect: String
    /// The text that the case says was signed.
    let message: [UInt8]?
    /// The key of an impression's network, as base64.
    let publicKey: String?

    init(_ name: String) throws {
        let file = try JSONSerialization.jsonObject(with: Data(Repository.bytes("Tests/Fixtures/cases/\(name).json")))
        guard let object = file as? [String: Any], let body = object["body"] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        self.name = name
        self.body = try (body as? String).map { Array($0.utf8) } ?? Array(JSONSerialization.data(withJSONObject: body))
        expect = object["expect"] as? String ?? ""
        message = (object["message"] as? String).map { Array($0.utf8) }
        publicKey = object["publicKey"] as? String
    }
}

/// Files of the repository for tests.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appendingPathComponent(path)))
    }

    static func files(in folder: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(suffix) }
            .sorted()
            .map { "\(folder)/\($0)" }
    }
}
