#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The file of a listening Unix socket, which nobody but its owner can ever connect to.
///
/// A socket is connectable from the moment it is bound, with the mode that the umask left. So it is bound in a folder of
/// mode 0700, given its own mode there, and only then moved to its name; the name of one that a killed process left
/// behind is taken over. Whoever makes it must hold the store's lease.
final class SocketFile: Sendable {
    /// Where clients find it.
    let path: String
    private let folder: String
    /// Where it is bound.
    let binding: SocketPath

    private static let name = "/s"

    /// Makes the folder to bind in.
    ///
    /// - Parameter path: Where clients are to find the socket.
    /// - Throws: ``SocketError``.
    init(_ path: String) throws(SocketError) {
        self.path = path
        folder = path + ".new"
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw SocketError("\(path) exists and is no socket; move it away")
        }
        // Left behind by a process that was killed between the two steps.
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

    /// Lets clients find the socket, which must be bound.
    ///
    /// - Returns: Which file it is, for ``remove(_:)``.
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

    /// Removes what is left of it; a socket that another process has put there since stays.
    func remove(_ published: Identity?) {
        unlink(folder + Self.name)
        rmdir(folder)
        if let published, Identity(path) == published {
            unlink(path)
        }
    }

    /// Which file it is.
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
