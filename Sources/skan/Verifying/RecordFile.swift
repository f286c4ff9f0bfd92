import Attribution
import CodedErrors
import Foundation
import StrictJSON

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A file of postbacks, read as a stream of batches in bounded memory.
final class RecordFile {
    private let name: String
    private let file: FileHandle
    private let size: UInt64?
    private var position: UInt64 = 0
    private var splitter: JSONObjectSplitter
    private var isAtEnd = false

    /// The postbacks per batch, enough to share the work of verifying them, and the maximum bytes.
    private static let batch = 1_024
    private static let batchBytes = 1 << 20
    /// How many bytes are read at a time.
    private static let chunk = 1 << 18

    /// Opens a file, or standard input for `-`.
    ///
    /// - Parameters:
    ///   - name: The path.
    ///   - entersArrays: Whether the elements of an array are records, not the array itself.
    /// - Throws: ``CommandFailure`` when there is no such file or it is a folder.
    init(_ name: String, entersArrays: Bool = false) throws {
        self.name = name
        splitter = JSONObjectSplitter(entersArrays: entersArrays)
        if name == "-" {
            file = .standardInput
            size = nil
            return
        }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                "cannot read \(name): \(errno == ENOENT ? "no such file" : String(cString: strerror(errno)))",
                hint: "check the path and who may read it")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandFailure("cannot read \(name): it is a folder", hint: "name its files: \(name)/*.json")
        }
        size = status.st_mode & S_IFMT == S_IFREG ? UInt64(status.st_size) : nil
    }

    /// Examines the beginning of the file, before the first batch, and skips a byte order mark.
    ///
    /// - Returns: The kind of file, if it is something other than objects.
    func peculiarity() throws -> FilePeculiarity? {
        var head: [UInt8] = []
        while head.count < FilePeculiarity.longestPrefix, let bytes = try read() {
            // There may be gigabytes of white space.
            head += bytes
            head.removeFirst(head.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }.count)
        }
        let found = FilePeculiarity(head)
        splitter.append(found == .byteOrderMark ? head.dropFirst(3) : head[...])
        return found
    }

    /// The next batch, or nil at the end.
    func next() throws -> [JSONObjectSplitter.Record]? {
        var batch: [JSONObjectSplitter.Record] = []
        var bytes = 0
        while batch.count < Self.batch, bytes < Self.batchBytes {
            if let record = splitter.next() {
                bytes += record.bytes.count
                batch.append(record)
            } else if isAtEnd {
                break
            } else if let chunk = try read() {
                splitter.append(chunk)
            }
        }
        return batch.isEmpty ? nil : batch
    }

    private func read() throws -> Data? {
        guard !isAtEnd else {
            return nil
        }
        let data: Data?
        do {
            data = try file.read(upToCount: Self.chunk)
        } catch {
            throw CommandFailure(
                "cannot read \(name) to its end: \((error as? CocoaError)?.reason ?? "the system refuses")",
                code: .unreadableFile)
        }
        guard let data, !data.isEmpty else {
            isAtEnd = true
            splitter.finish()
            return nil
        }
        position += UInt64(data.count)
        return data
    }

    /// How much of the file was read, for display; empty when its size is unknown.
    var progress: String {
        guard let size, size > 0 else {
            return ""
        }
        return ", \(position * 100 / size) % read"
    }
}
