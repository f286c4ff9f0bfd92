#if canImport(Glibc)
    package import Glibc
#else
    package import Musl
#endif

/// A regular file that is open for reading.
///
/// What is checked is what is read: the file cannot be exchanged in between. Opening never waits, as it would for a FIFO
/// that nobody writes to.
package struct CheckedFile: ~Copyable {
    /// Why a file is not used.
    package enum Problem: Error, Hashable {
        /// It cannot be read, and why, in words.
        case unreadable(reason: String)
        /// It is a secret that others can read or change; its mode in octal digits.
        case openToOthers(mode: String)
    }

    private let descriptor: Int32
    /// What the file was when it was opened.
    package let status: stat

    /// Opens the file at a path.
    package init(_ path: String) throws(Problem) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw .unreadable(reason: errno == ENOENT ? "no such file" : Self.systemError())
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unreadable(
                reason: status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is not a regular file")
        }
        self.descriptor = descriptor
        self.status = status
    }

    deinit {
        close(descriptor)
    }

    /// Refuses a secret that others can read or change.
    ///
    /// Only its owner may, or also a group when nobody may write it and it is owned by root or by this user: that is how
    /// systemd's credentials and Kubernetes' secrets are handed over.
    package borrowing func checkIsSecret() throws(Problem) {
        let mode = status.st_mode & 0o777
        let isHandedOver = mode & 0o337 == 0 && (status.st_uid == 0 || status.st_uid == geteuid())
        guard mode & 0o077 == 0 || isHandedOver else {
            throw .openToOthers(mode: "0" + String(mode, radix: 8))
        }
    }

    /// Reads all of it, unless it has more bytes than the limit.
    package borrowing func bytes(limit: Int) throws(Problem) -> [UInt8] {
        guard status.st_size <= limit else {
            throw .unreadable(reason: "found \(status.st_size) bytes, expected at most \(limit)")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            guard more > 0 else {
                throw .unreadable(reason: more < 0 ? Self.systemError() : "it was cut short while it was read")
            }
            count += more
        }
        return bytes
    }

    private static func systemError() -> String {
        String(cString: strerror(errno))
    }
}
