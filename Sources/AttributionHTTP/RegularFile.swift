#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A regular file that is open for reading.
///
/// Opening never waits: a FIFO in its place would otherwise hold up whoever reads it until somebody writes.
struct RegularFile: ~Copyable {
    /// Why a file cannot be read, in words.
    struct Problem: Error {
        let reason: String
    }

    private let descriptor: Int32
    /// What the file was when it was opened.
    let status: stat

    /// Opens the file at a path.
    init(_ path: String) throws(Problem) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw Problem(reason: Self.systemError())
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Problem(reason: "it is not a file")
        }
        self.descriptor = descriptor
        self.status = status
    }

    deinit {
        close(descriptor)
    }

    /// Reads all of it, unless it has more bytes than the limit.
    borrowing func bytes(limit: Int) throws(Problem) -> [UInt8] {
        guard status.st_size <= limit else {
            throw Problem(reason: "found \(status.st_size) bytes, expected at most \(limit)")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            guard more > 0 else {
                throw Problem(reason: more < 0 ? Self.systemError() : "it was cut short while read")
            }
            count += more
        }
        return bytes
    }

    private static func systemError() -> String {
        String(cString: strerror(errno))
    }
}
