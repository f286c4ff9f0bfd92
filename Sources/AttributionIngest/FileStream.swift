package import Attribution
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The bytes of a file or of standard input, in pieces.
package final class FileStream {
    /// The path; `-` for standard input.
    package let name: String
    /// The size when it was opened, in bytes; nil if it is unknown, as of standard input.
    package let size: Int64?
    /// The number of bytes read.
    package private(set) var position: Int64 = 0
    private let descriptor: CInt
    /// The file's status when it was opened.
    private let opened: stat

    private static let chunk = 1 << 18

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``Attribution/Refusal`` if there is no such file, or if it is a folder.
    package init(_ name: String) throws(Refusal) {
        self.name = name
        if name == "-" {
            descriptor = STDIN_FILENO
            size = nil
            opened = stat()
            return
        }
        descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Refusal(
                .unreadableFile,
                "cannot read \(name.isEmpty ? "\"\"" : name): \(errno == ENOENT ? "no such file" : String(cString: strerror(errno)))",
                hint: "check the path and who may read it")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw Refusal(.unreadableFile, "cannot read \(name): it is a folder", hint: "name its files: \(name)/*")
        }
        size = status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
        opened = status
    }

    deinit {
        if descriptor != STDIN_FILENO {
            close(descriptor)
        }
    }

    /// The next bytes; nil at the end.
    ///
    /// - Returns: The bytes.
    /// - Throws: ``Attribution/Refusal`` if the file cannot be read.
    package func next(upTo limit: Int64 = .max) throws(Refusal) -> [UInt8]? {
        let limit = Int(min(Int64(Self.chunk), limit))
        guard limit > 0 else {
            return nil
        }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            repeat {
                count = Foundation.read(descriptor, buffer.baseAddress, limit)
            } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        guard count >= 0 else {
            throw Refusal(
                .unreadableFile, "cannot read \(name) to its end: \(String(cString: strerror(errno)))",
                hint: "check the file and its disk")
        }
        position += Int64(count)
        return count > 0 ? bytes : nil
    }

    /// Goes back to the beginning.
    func rewind() -> Bool {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            return false
        }
        position = 0
        return true
    }

    /// Whether somebody has written to the file since it was opened; it may only have grown.
    var hasChanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_size != opened.st_size
            || status.st_mtim.tv_sec != opened.st_mtim.tv_sec || status.st_mtim.tv_nsec != opened.st_mtim.tv_nsec
    }

    /// How much of the file was read, for display; empty when its size is unknown.
    package var progress: String {
        guard let size, size > 0 else {
            return ""
        }
        return ", \(min(100, position * 100 / size)) % read"
    }
}
