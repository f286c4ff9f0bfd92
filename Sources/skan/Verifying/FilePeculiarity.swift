/// What a file is that holds no plain objects: something partners export, or somebody's mistake.
enum FilePeculiarity {
    /// Compressed by gzip.
    case gzip
    /// Begins with the byte order mark of UTF-8, as some editors write it.
    case byteOrderMark
    /// One array of all postbacks.
    case array
    /// A key or certificate.
    case pem

    /// The longest beginning that tells, in bytes.
    static let longestSign = 11

    /// Recognises a file by its first bytes; nil for objects and for what is none of these.
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

    /// Whether `--unwrap` reads what is inside.
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
            "the file begins with a byte order mark, which no device sends; --unwrap judges what follows it"
        case .array:
            "the file is an array, and a device sends one object a request; --unwrap judges its elements"
        case .pem:
            "the file is a key or certificate in PEM, no postback; --trust-test-key FILE names a key to verify with"
        }
    }
}
