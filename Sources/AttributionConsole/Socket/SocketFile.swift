#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The file of a listening Unix socket that only its owner can ever connect to.
///
/// Clients can connect as soon as a socket is bound, with the mode that the umask left. So it is bound in a folder of
/// mode 0700, given its own mode there, and only then renamed, replacing one that a killed process left behind. Its
/// maker must hold the store's lease.
final class SocketFile: Sendable {
    /// The path clients connect to.
    let path: String
    private let folder: String
    /// The path it is bound at.
    let binding: SocketPath

    private static let name = "/s"

    /// Makes the folder to bind in.
    ///
    /// - Parameter path: The path clients will connect to.
    /// - Throws: ``SocketError``.
    init(_ path: String) throws(SocketError) {
        try Self.check(path)
        self.path = path
        folder = path + ".new"
        // A process killed between the two steps may have left them behind.
        unlink(folder + Self.name)
        rmdir(folder)
        guard mkdir(folder, 0o700) == 0 else {
            throw SocketError("make the folder", folder)
        }
        do {
            binding = try SocketPath(folder + Self.name)
        } catch {
            rmdir(folder)
            throw error
        }
    }

    /// Refuses a path at which there is anything but a socket, which is not ours to remove.
    ///
    /// - Throws: ``SocketError``.
    static func check(_ path: String) throws(SocketError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw SocketError("\(path) exists and is not a socket", hint: "move it away")
        }
    }

    /// Moves the socket, which must be bound, to its path.
    ///
    /// - Returns: The file's identity, for ``remove(_:)``.
    /// - Throws: ``SocketError``.
    func publish() throws(SocketError) -> Identity {
        let bound = folder + Self.name
        guard chmod(bound, 0o600) == 0 else {
            throw SocketError("set the mode of", bound)
        }
        guard let identity = Identity(bound), rename(bound, path) == 0 else {
            throw SocketError("make", path)
        }
        rmdir(folder)
        return identity
    }

    /// Removes the socket's files, unless another process has replaced the socket since.
    func remove(_ published: Identity?) {
        unlink(folder + Self.name)
        rmdir(folder)
        if let published, Identity(path) == published {
            unlink(path)
        }
    }

    /// Identifies a file.
    struct Identity: Equatable {
        private let device: UInt64
        private let inode: UInt64

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else {
                return nil
            }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }
}
