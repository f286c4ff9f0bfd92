import Foundation

/// Reading and writing the files keys are kept in.
public enum KeyFile {
    /// Writes a secret to a new file with mode 0600.
    ///
    /// - Throws: ``KeyProblem/exists(file:)``, for a key is never overwritten, or ``KeyProblem/unwritable(file:reason:)``.
    public static func writeNew(_ text: String, to file: String) throws(KeyProblem) {
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
            throw .unwritable(file: file, reason: "\(error)")
        }
    }

    /// Reads a private key's file, refusing one that others can read.
    static func readPrivate(_ file: String) throws(KeyProblem) -> String {
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw .unreadable(file: file, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .openToOthers(file: file, mode: "0" + String(status.st_mode & 0o777, radix: 8))
        }
        return try read(file)
    }

    /// Reads a key's file.
    static func read(_ file: String) throws(KeyProblem) -> String {
        do {
            return try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
        } catch {
            throw .unreadable(
                file: file,
                reason: FileManager.default.fileExists(atPath: file) ? "not text, or not readable" : "no such file")
        }
    }
}
