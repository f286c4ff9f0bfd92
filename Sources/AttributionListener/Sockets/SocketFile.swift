package import Attribution
import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The file of a listening Unix socket that only its owner can ever connect to.
///
/// Clients can connect as soon as a socket is bound, with the mode that the umask left. So it is bound in a folder of
/// mode 0700, given its own mode there, and only then renamed, replacing one that a killed process left behind. Its
/// maker must know that no other process listens there: by a lease, or by ``checkIsUnused(_:)``.
package final class SocketFile: Sendable {
    /// The path clients connect to.
    package let path: String
    private let folder: String
    /// The path it is bound at.
    package let binding: SocketPath

    private static let name = "/s"

    package init(_ path: String) throws(SocketError) {
        try Self.check(path)
        self.path = path
        folder = Self.folder(of: path)
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

    /// The folder in which a socket is bound before it is renamed.
    package static func folder(of path: String) -> String {
        path + ".new"
    }

    /// Refuses a path at which there is anything but a socket, which is not ours to remove.
    package static func check(_ path: String) throws(SocketError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw SocketError("\(path) exists and is not a socket", hint: "move it away")
        }
    }

    /// Refuses a path at which a process listens; one that a killed process left behind may be replaced.
    package static func checkIsUnused(_ path: String) throws(SocketError) {
        try check(path)
        let socketPath = try SocketPath(path)
        // The copy below is not checked in release builds.
        guard socketPath.text.utf8.count <= SocketPath.longest else {
            throw SocketError("the name of \(path) is too long for a socket", hint: "choose a shorter name")
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.text.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else {
            throw SocketError("make a socket for", path)
        }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // A full backlog is EAGAIN: someone listens.
        guard result != 0, errno == ECONNREFUSED || errno == ENOENT else {
            guard result == 0 || errno == EAGAIN || errno == EINPROGRESS else {
                throw SocketError("use", path)
            }
            throw SocketError("another process listens at \(path)", hint: "stop it, or choose another path")
        }
    }

    /// Moves the socket, which must be bound, to its path.
    package func publish() throws(SocketError) -> Identity {
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
    package func remove(_ published: Identity?) {
        unlink(folder + Self.name)
        rmdir(folder)
        if let published, Identity(path) == published {
            unlink(path)
        }
    }

    /// Identifies a file.
    package struct Identity: Equatable, Sendable {
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

/// The path of a Unix socket in a form that fits the system's limit.
///
/// `sun_path` has room for 107 bytes. A longer path goes through an open descriptor of its folder, for the lifetime of
/// this object.
package final class SocketPath: Sendable {
    /// The path to bind or connect to.
    package let text: String
    private let folder: CInt?

    /// The most bytes of a path that `sun_path` has room for.
    static let longest = 107

    /// Makes a path, whose folder must exist if it is long.
    package init(_ path: String) throws(SocketError) {
        guard path.utf8.count > Self.longest, let slash = path.lastIndex(of: "/") else {
            text = path
            folder = nil
            return
        }
        let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SocketError("open the folder of", path)
        }
        folder = descriptor
        text = "/proc/self/fd/\(descriptor)" + path[slash...]
    }

    deinit {
        if let folder {
            close(folder)
        }
    }
}

/// A failed operation on a socket's file.
package struct SocketError: CodedError, CustomStringConvertible {
    package let code = ErrorCode.cannotListen
    package let description: String
    package let hint: String?

    /// Takes the system's last error.
    init(_ attempt: String, _ path: String) {
        description = "cannot \(attempt) \(path): \(String(cString: strerror(errno)))"
        hint = nil
    }

    /// Takes the error of a library that could not listen.
    package init(binding error: any Error, _ path: String) {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
        description = "cannot listen at \(path): \(reason ?? "\(type(of: error))")"
        hint = nil
    }

    init(_ description: String, hint: String) {
        self.description = description
        self.hint = hint
    }
}
