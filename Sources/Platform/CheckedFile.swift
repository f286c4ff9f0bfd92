#if canImport(Glibc)
    package import Glibc
#else
    package import Musl
#endif

/// A regular file that is open for reading.
///
/// Checks apply to the open file, so it cannot be swapped between check and read. Opening never blocks, not even on a
/// FIFO without a writer.
package struct CheckedFile: ~Copyable {
    /// Why a file is not used.
    package enum Problem: Error, Hashable {
        /// It cannot be read.
        case unreadable(reason: String)
        /// It is a secret that others can read or change; `mode` is octal.
        case openToOthers(mode: String)
        /// It decides whom to trust, and others can change it; `mode` is octal.
        case changeableByOthers(mode: String)
        /// It is a secret of another user, who can read and change it.
        case ownedByAnother(user: UInt32)
    }

    private let descriptor: Int32
    /// The status of the file when it was opened.
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
    /// It belongs to root or to its user. A group may read it if it is read-only, as systemd credentials and Kubernetes
    /// secrets are. With `isManaged` it is changed, not used, as root may do for the user of a service.
    package borrowing func checkIsSecret(
        of user: UInt32 = geteuid(), isManaged: Bool = false
    ) throws(Problem) {
        let mode = status.st_mode & 0o777
        let isOwn = status.st_uid == 0 || status.st_uid == user
        let isProvisioned = mode & 0o337 == 0 && isOwn
        guard mode & 0o077 == 0 || isProvisioned else {
            throw .openToOthers(mode: "0" + String(mode, radix: 8))
        }
        guard isOwn || isManaged && user == 0 else {
            throw .ownedByAnother(user: status.st_uid)
        }
    }

    /// Refuses a file that decides whom to trust, when others can change it.
    package borrowing func checkIsNotChangeable() throws(Problem) {
        guard status.st_mode & 0o022 == 0 else {
            throw .changeableByOthers(mode: "0" + String(status.st_mode & 0o777, radix: 8))
        }
    }

    /// Reads the whole file, unless it is longer than the limit.
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
                throw .unreadable(reason: more < 0 ? Self.systemError() : "it was truncated while it was read")
            }
            count += more
        }
        return bytes
    }

    private static func systemError() -> String {
        String(cString: strerror(errno))
    }
}
