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
    ///
    /// - Parameter file: The file's name, `-` for standard input.
    /// - Returns: A sentence.
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
