import AttributionIngest
import StrictJSON

/// A file of postbacks, read as a stream of batches in bounded memory.
final class RecordFile {
    private let stream: FileStream
    private var splitter: JSONObjectSplitter
    private var isAtEnd = false

    /// The postbacks per batch, enough to share the work of verifying them, and the maximum bytes.
    private static let batch = 1_024
    private static let batchBytes = 1 << 20

    /// Opens a file, or standard input for `-`.
    ///
    /// - Parameters:
    ///   - name: The path.
    ///   - entersArrays: Whether the elements of an array are records, not the array itself.
    /// - Throws: ``CodedErrors/Refusal`` if there is no such file, or if it is a folder.
    init(_ name: String, entersArrays: Bool = false) throws {
        stream = try FileStream(name)
        splitter = JSONObjectSplitter(entersArrays: entersArrays)
    }

    /// Examines the beginning of the file, before the first batch, and skips a byte order mark.
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

    private func read() throws -> [UInt8]? {
        guard !isAtEnd else {
            return nil
        }
        guard let bytes = try stream.next() else {
            isAtEnd = true
            splitter.finish()
            return nil
        }
        return bytes
    }

    /// How much of the file was read, for display; empty when its size is unknown.
    var progress: String { stream.progress }
}

/// A file that does not hold plain objects: an export of a partner, or a mistake.
enum FilePeculiarity {
    /// Compressed by gzip.
    case gzip
    /// Begins with the byte order mark of UTF-8, as some editors write it.
    case byteOrderMark
    /// One array of all postbacks.
    case array
    /// A key or certificate.
    case pem

    /// The length of the longest prefix to recognize, in bytes.
    static let longestPrefix = 11

    /// Recognizes a file by its first bytes; nil for objects and for anything else.
    init?(_ head: some Collection<UInt8>) {
        if head.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if head.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .byteOrderMark
        } else if head.first == UInt8(ascii: "[") {
            self = .array
        } else if head.starts(with: "-----BEGIN ".utf8) {
            self = .pem
        } else {
            return nil
        }
    }

    /// Whether `--unwrap` reads its contents.
    var isUnwrapped: Bool {
        switch self {
        case .byteOrderMark, .array: true
        case .gzip, .pem: false
        }
    }

    /// What it is, and what to do.
    func explanation(_ file: String) -> String {
        switch self {
        case .gzip:
            "the file is compressed by gzip; try: gzip -dc \(file == "-" ? "FILE" : file) | skan verify --unwrap -"
        case .byteOrderMark:
            "the file begins with a byte order mark, which no device sends; --unwrap skips it"
        case .array:
            "the file is an array, but a device sends one object per request; --unwrap reads its elements"
        case .pem:
            "the file is a PEM key or certificate, not a postback; --trust-test-key FILE names a key to verify with"
        }
    }
}
