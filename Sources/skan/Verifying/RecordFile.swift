import Attribution
import AttributionIngest
import StrictJSON

/// A file of postbacks, read as a stream of batches in bounded memory.
final class RecordFile {
    private let stream: FileStream
    private var splitter: JSONObjectSplitter
    private var isAtEnd = false
    /// The beginning of a file that is one record, whatever its lines.
    private var whole: [UInt8]?

    /// The postbacks per batch, enough to share the work of verifying them, and the maximum bytes.
    private static let batch = 1_024
    private static let batchBytes = 1 << 20

    /// Opens a file, or standard input for `-`; the elements of an array are records, or the array itself is.
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
        guard found != .swiftCode else {
            whole = head
            return found
        }
        splitter.append(found == .byteOrderMark ? head.dropFirst(3) : head[...])
        return found
    }

    /// The next batch, or nil at the end.
    func next() throws -> [JSONObjectSplitter.Record]? {
        if var bytes = whole {
            whole = nil
            while bytes.count < JSONObjectSplitter.longestRecord, let more = try read() { bytes += more }
            isAtEnd = true
            return [JSONObjectSplitter.Record(bytes: bytes)]
        }
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
    /// Code of an app.
    case swiftCode

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
        } else if ["import ", "let ", "var ", "//"].contains(where: { head.starts(with: $0.utf8) }) {
            self = .swiftCode
        } else {
            return nil
        }
    }

    /// Whether `--unwrap` reads its contents.
    var isUnwrapped: Bool {
        switch self {
        case .byteOrderMark, .array: true
        case .gzip, .pem, .swiftCode: false
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
        case .swiftCode:
            "the file is Swift code, which has no postbacks; skan check-impression checks the impression in it"
        }
    }
}

/// Something around a postback in a partner's export that no device sends.
enum Wrapping {
    /// An object with the postback under `postback`.
    case object([UInt8])
    /// The compact JWS of AdAttributionKit without the object around it.
    case jws(String)

    /// Recognizes what a record is wrapped in; nil for a postback and for anything else.
    init?(_ record: JSONObjectSplitter.Record) {
        switch record.bytes.first {
        case UInt8(ascii: "{"):
            guard let object = try? JSONObject(reading: record.bytes, limit: JSONObjectSplitter.longestRecord),
                case .nested(let text) = object["postback"], object["attribution-signature"] == nil,
                object["jws-string"] == nil
            else {
                return nil
            }
            self = .object(Array(text.utf8))
        case UInt8(ascii: "\""):
            // A string in an array.
            guard
                case .string(let text) = (try? JSONObject(reading: Array("{\"s\":".utf8) + record.bytes + [0x7D]))?["s"],
                Self.isCompactJWS(text.utf8)
            else {
                return nil
            }
            self = .jws(text)
        default:
            guard Self.isCompactJWS(record.bytes) else {
                return nil
            }
            self = .jws(String(decoding: record.bytes, as: UTF8.self))
        }
    }

    /// The postback as a device would send it.
    var body: [UInt8] {
        switch self {
        case .object(let body): body
        case .jws(let text): Array(JSONText.object([("jws-string", .string(text))]).line.utf8)
        }
    }

    /// What it is, and what to do.
    var explanation: String {
        switch self {
        case .object: "the postback is inside \"postback\"; --unwrap reads it"
        case .jws: "it is a compact JWS, which a device sends as \"jws-string\" in an object; --unwrap reads it"
        }
    }

    /// Three parts in base64url, joined by dots.
    private static func isCompactJWS(_ text: some Collection<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }
}
