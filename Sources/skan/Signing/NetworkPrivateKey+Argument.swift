import AttributionSigning
import Foundation

extension NetworkPrivateKey {
    /// Reads the key file that a command names, or standard input for `-`, so that a secret need not be on disk.
    init(argument: String) throws {
        guard argument == "-" else {
            try self.init(file: argument)
            return
        }
        let name = "standard input"
        var bytes = Data()
        while let more = try FileHandle.standardInput.read(upToCount: KeyFile.maximumSize), !more.isEmpty {
            bytes += more
            guard bytes.count <= KeyFile.maximumSize else {
                throw KeyProblem.unreadable(
                    file: name, reason: "found more than \(KeyFile.maximumSize) bytes, the limit of a key")
            }
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw KeyProblem.unreadable(file: name, reason: "it is not text")
        }
        try self.init(pem: text, file: name)
    }
}
