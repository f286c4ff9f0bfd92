import CheckedFiles
import Foundation

/// Reading and writing the files keys are kept in.
package enum KeyFile {
    /// Writes a secret to a new file with mode 0600.
    ///
    /// - Throws: ``KeyProblem/exists(file:)``, for a key is never overwritten, or ``KeyProblem/unwritable(file:reason:)``.
    package static func writeNew(_ text: String, to file: String) throws(KeyProblem) {
        // O_EXCL decides existence and creation in one step, and the mode is right from the first moment.
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
            // The words of Foundation are for programs; errno may have been changed since.
            throw .unwritable(file: file, reason: "it could not be written to its end; the disk may be full")
        }
    }

    /// A key in PEM has a few hundred bytes; the bound leaves room for comments and chains.
    package static let maximumSize = 64 << 10
    /// A list names a key in a line or two.
    private static let maximumListSize = 1 << 20

    /// Reads a private key's file, refusing one that others can read.
    static func readPrivate(_ file: String) throws(KeyProblem) -> String {
        try read(file, isSecret: true)
    }

    /// Reads a key's file.
    static func read(_ file: String) throws(KeyProblem) -> String {
        try read(file, isSecret: false)
    }

    /// Reads a list of keys.
    static func readList(_ file: String) throws(KeyProblem) -> String {
        try read(file, isSecret: false, limit: maximumListSize)
    }

    private static func read(
        _ file: String, isSecret: Bool, limit: Int = maximumSize
    ) throws(KeyProblem) -> String {
        let bytes: [UInt8]
        do throws(CheckedFile.Problem) {
            let opened = try CheckedFile(file)
            if isSecret {
                try opened.checkIsSecret()
            }
            bytes = try opened.bytes(limit: limit)
        } catch {
            switch error {
            case .unreadable(let reason): throw .unreadable(file: file, reason: reason)
            case .openToOthers(let mode): throw .openToOthers(file: file, mode: mode)
            }
        }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            throw .unreadable(file: file, reason: "it is not text")
        }
        return text
    }
}
