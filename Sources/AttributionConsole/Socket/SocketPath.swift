#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The path of a Unix socket as the system takes it.
///
/// `sun_path` has room for 107 bytes. A longer path is reached through an open descriptor of its folder, as long as this
/// object lives.
final class SocketPath: Sendable {
    /// What to bind or connect to.
    let text: String
    private let folder: CInt?

    private static let longest = 107

    /// Takes a path, whose folder must exist when it is long.
    ///
    /// - Throws: ``SocketError`` when the folder cannot be opened.
    init(_ path: String) throws(SocketError) {
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

/// What the system refused to do with a socket's file.
struct SocketError: Error, CustomStringConvertible {
    let description: String

    /// Takes the system's last error.
    init(_ attempt: String, _ path: String) {
        description = "cannot \(attempt) \(path): \(String(cString: strerror(errno)))"
    }

    init(_ description: String) {
        self.description = description
    }
}
