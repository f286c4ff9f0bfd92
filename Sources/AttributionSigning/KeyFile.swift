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

    /// A key in PEM has a few hundred bytes; the bound leaves room for comments and chains.
    static let maximumSize = 64 << 10
    /// A list names a key in a line or two.
    private static let maximumListSize = 1 << 20

    /// Reads a private key's file, refusing one that others can read.
    static func readPrivate(_ file: String) throws(KeyProblem) -> String {
        try read(file) { status throws(KeyProblem) in
            guard status.st_mode & 0o077 == 0 else {
                throw .openToOthers(file: file, mode: "0" + String(status.st_mode & 0o777, radix: 8))
            }
        }
    }

    /// Reads a key's file.
    static func read(_ file: String) throws(KeyProblem) -> String {
        try read(file) { _ in }
    }

    /// Reads a list of keys.
    static func readList(_ file: String) throws(KeyProblem) -> String {
        try read(file, atMost: maximumListSize) { _ in }
    }

    /// Reads a file that is checked after it was opened, so that it cannot be exchanged in between.
    private static func read(
        _ file: String, atMost limit: Int = maximumSize, checking check: (stat) throws(KeyProblem) -> Void
    ) throws(KeyProblem) -> String {
        // Without O_NONBLOCK opening a FIFO would wait for somebody who writes to it.
        let descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .unreadable(file: file, reason: errno == ENOENT ? "no such file" : String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .unreadable(file: file, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(
                file: file, reason: status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is no regular file")
        }
        try check(status)
        guard status.st_size <= limit else {
            throw .unreadable(file: file, reason: "\(status.st_size) bytes, and a key has at most \(limit)")
        }
        let data: Data?
        do {
            data = try handle.read(upToCount: limit)
        } catch {
            throw .unreadable(file: file, reason: "it cannot be read to its end")
        }
        guard let text = String(bytes: data ?? Data(), encoding: .utf8) else {
            throw .unreadable(file: file, reason: "it is not text")
        }
        return text
    }
}
