import Foundation
import StrictJSON
import Testing

extension SkanProcess {
    /// Verifies a compact JWS with PyJWT.
    ///
    /// - Parameters:
    ///   - jws: The JWS; white space around it does not matter.
    ///   - publicKey: The PEM file of the public key.
    ///   - directory: Where the file's path begins.
    /// - Returns: Header and payload.
    /// - Throws: When it does not verify.
    static func verifyJWS(
        _ jws: String, publicKey: String, in directory: URL
    ) throws -> (header: [String: Any], payload: [String: Any]) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/verify_jws.py")
        // The system's Python, which has the package PyJWT; another one in the path may not.
        let outcome = try run(
            URL(fileURLWithPath: "/usr/bin/python3"), [script.path, publicKey], in: directory, input: jws)
        guard outcome.status == 0 else {
            throw NotVerified(reason: outcome.errors)
        }
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: [String: Any]]
        return (try #require(object?["header"]), try #require(object?["payload"]))
    }

    struct NotVerified: Error {
        let reason: String
    }
}
