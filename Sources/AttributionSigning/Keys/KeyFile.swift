import Foundation
import Platform

/// Reading and writing key files.
package enum KeyFile {
    /// Writes a secret to a new file with mode 0600.
    ///
    /// - Throws: ``KeyProblem/exists(file:)``, as a key is never overwritten, or
    ///   ``KeyProblem/unwritable(file:reason:)``.
    package static func writeNew(_ text: String, to file: String) throws(KeyProblem) {
        // O_EXCL checks and creates atomically, and the mode is right from the start.
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? .exists(file: file) : .unwritable(file: file, reason: String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.synchronize()
        } catch {
            throw .unwritable(file: file, reason: "it could not be written completely; the disk may be full")
        }
    }

    /// The maximum size of a key file, in bytes; a key in PEM has a few hundred.
    package static let maximumSize = 64 << 10
    /// The maximum size of a key list, in bytes.
    static let maximumListSize = 1 << 20

    /// Reads the keys in a file; one that others can change is refused, and with `isSecret`, a private key that others
    /// can read.
    static func material(_ file: String, isSecret: Bool = false) throws(KeyProblem) -> KeyMaterial {
        try read(file, limit: maximumSize) { bytes, opened throws(CheckedFile.Problem) in
            let material = KeyMaterial(reading: bytes)
            // Of a file without a key that could sign, it is said what it has, not that others can read it.
            if isSecret, material.privateKey != nil {
                try opened.checkIsSecret()
            } else if !isSecret || material.publicKey != nil {
                try opened.checkIsNotChangeable()
            }
            return material
        }
    }

    /// Reads the bytes of a key list; one that others can change is refused.
    static func list(_ file: String) throws(KeyProblem) -> [UInt8] {
        try read(file, limit: maximumListSize) { bytes, opened throws(CheckedFile.Problem) in
            try opened.checkIsNotChangeable()
            return bytes
        }
    }

    private static func read<Content>(
        _ file: String, limit: Int,
        _ content: ([UInt8], borrowing CheckedFile) throws(CheckedFile.Problem) -> Content
    ) throws(KeyProblem) -> Content {
        do throws(CheckedFile.Problem) {
            let opened = try CheckedFile(file)
            return try content(try opened.bytes(limit: limit), opened)
        } catch {
            switch error {
            case .changeableByOthers(let mode): throw .changeableByOthers(file: file, mode: mode)
            case .unreadable(let reason): throw .unreadable(file: file, reason: reason)
            case .openToOthers(let mode): throw .openToOthers(file: file, mode: mode)
            case .ownedByAnother(let user): throw .ownedByAnother(file: file, user: user)
            }
        }
    }
}
