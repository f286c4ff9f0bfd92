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

    /// Reads a key file; of a secret, one that others can read is refused, and of Apple's keys, one that others can
    /// change.
    static func read(
        _ file: String, isSecret: Bool = false, isOfApple: Bool = false, limit: Int = maximumSize
    ) throws(KeyProblem) -> String {
        let bytes: [UInt8]
        let mode: mode_t
        do throws(CheckedFile.Problem) {
            let opened = try CheckedFile(file)
            bytes = try opened.bytes(limit: limit)
            mode = opened.status.st_mode & 0o777
            // Of a file without a key in PEM, it is said that it has none, not that others can read it.
            if isSecret, bytes.contains("PRIVATE KEY".utf8) {
                try opened.checkIsSecret()
            }
        } catch {
            switch error {
            case .unreadable(let reason): throw .unreadable(file: file, reason: reason)
            case .openToOthers(let mode): throw .openToOthers(file: file, mode: mode)
            case .ownedByAnother(let user): throw .ownedByAnother(file: file, user: user)
            }
        }
        guard !isOfApple || mode & 0o022 == 0 else {
            throw .writableByOthers(file: file, mode: "0" + String(mode, radix: 8))
        }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            throw .unreadable(file: file, reason: "it is not text")
        }
        return text
    }
}
