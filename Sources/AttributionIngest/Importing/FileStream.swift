import CodedErrors
import Foundation
import Hashing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The bytes of a file or of standard input, from the first to the last it had when it was opened.
final class FileStream {
    let name: String
    /// Nil where it is not known, as of standard input.
    let size: Int64?
    private let descriptor: CInt
    private(set) var position: Int64 = 0
    /// Over the bytes read since the beginning.
    private var hash = SHA256()
    /// What the file was when it was opened.
    private let opened: stat

    private static let chunk = 1 << 18

    /// Opens a file; `-` is standard input.
    init(_ name: String) throws(ImportFailure) {
        self.name = name
        if name == "-" {
            descriptor = STDIN_FILENO
            size = nil
            opened = stat()
            return
        }
        descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ImportFailure(
                "cannot read \(name): \(errno == ENOENT ? "no such file" : String(cString: strerror(errno)))",
                code: .unreadableFile, hint: "check the path and who may read it")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw ImportFailure(
                "cannot read \(name): it is a folder", code: .unreadableFile, hint: "name its files: \(name)/*")
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
    /// What is appended meanwhile is left for another time.
    func next() throws(ImportFailure) -> [UInt8]? {
        let limit = size.map { min(Int64(Self.chunk), $0 - position) } ?? Int64(Self.chunk)
        guard limit > 0 else {
            return nil
        }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(limit)) { buffer, initialized in
            repeat {
                count = Foundation.read(descriptor, buffer.baseAddress, Int(limit))
            } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        guard count >= 0 else {
            throw ImportFailure(
                "cannot read \(name) to its end: \(String(cString: strerror(errno)))", code: .unreadableFile)
        }
        position += Int64(count)
        hash.update(bytes)
        return count > 0 ? bytes : nil
    }

    /// The digest of what was read since the beginning.
    var digest: [UInt8] {
        hash.digestSoFar().bytes
    }

    /// Whether somebody has written to the file since it was opened; it may only have grown.
    var hasChanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_size != opened.st_size
            || status.st_mtim.tv_sec != opened.st_mtim.tv_sec || status.st_mtim.tv_nsec != opened.st_mtim.tv_nsec
    }

    /// The digests of the beginnings of the file, and of the whole of it, which is the last one; then the file is at its
    /// beginning again.
    ///
    /// - Parameter lengths: How long the beginnings are, ascending, at most the file's size.
    /// - Returns: The digests by length; nil for what cannot be read twice.
    /// - Throws: ``ImportFailure`` when it cannot be read.
    func digests(_ lengths: [Int64]) throws(ImportFailure) -> [Int64: [UInt8]]? {
        guard let size, rewind() else {
            return nil
        }
        var digests: [Int64: [UInt8]] = [:]
        var hash = SHA256()
        var pending = (lengths + [size])[...]
        var offset: Int64 = 0
        while let bytes = try next() {
            var rest = bytes[...]
            while let length = pending.first, length < offset + Int64(rest.count) {
                let part = rest.prefix(Int(length - offset))
                hash.update(Array(part))
                rest = rest.dropFirst(part.count)
                offset = length
                digests[length] = hash.digestSoFar().bytes
                pending.removeFirst()
            }
            hash.update(Array(rest))
            offset += Int64(rest.count)
        }
        for length in pending where length == offset {
            digests[length] = hash.digestSoFar().bytes
        }
        return rewind() ? digests : nil
    }

    private func rewind() -> Bool {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            return false
        }
        position = 0
        hash = SHA256()
        return true
    }
}
