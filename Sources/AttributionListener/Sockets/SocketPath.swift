package import Attribution
import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

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
