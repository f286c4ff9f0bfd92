import Foundation
import StrictJSON

extension NetworkKeySet {
    /// The active keys that external signers sign with, each once.
    package var externalKeys: Set<ExternalKey> {
        Set(entries.compactMap { if case .active(.external(let key)) = $0.use { key } else { nil } })
    }

    /// The external signer of a key; nil for a key in a file.
    static func signer(
        _ item: NetworkKeyFile.Item, in file: String, label: String, folder: URL
    ) throws(KeyProblem) -> (socket: String, keyID: String)? {
        let prefix = "unix:"
        switch (item.signer, item.keyID) {
        case (nil, nil):
            return nil
        case (let signer?, let id?):
            let path = signer.dropFirst(prefix.count)
            guard signer.hasPrefix(prefix), !path.isEmpty, path.last != "/" else {
                throw .keySet(
                    file: file,
                    reason:
                        "\(label): signer is \"\(signer.shortened(to: 60))\", expected \"unix:\" and the path of a socket"
                )
            }
            guard (1...128).contains(id.utf8.count), id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .keySet(
                    file: file, reason: "\(label): key-id is empty, too long or not ASCII; expected 1 to 128 characters"
                )
            }
            return (URL(fileURLWithPath: String(path), relativeTo: folder).path, id)
        case (_?, nil), (nil, _?):
            throw .keySet(file: file, reason: "\(label): expected both signer and key-id, or neither")
        }
    }
}
