/// The SHA-256 digest of a token.
struct AccessDigest: Sendable {
    private static let count = 32

    private let bytes: [UInt8]

    /// Takes a digest that was just computed.
    init(_ digest: some Sequence<UInt8>) {
        bytes = Array(digest)
    }

    /// Reads 64 hexadecimal digits in lower case; nil for another text.
    init?(hexadecimal: String) {
        let nibbles = hexadecimal.utf8.map { Self.nibble($0) }
        guard nibbles.count == 2 * Self.count else {
            return nil
        }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            guard let high = nibbles[index], let low = nibbles[index + 1] else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// Compares in a time that says nothing of where two digests differ.
    func matches(_ other: AccessDigest) -> Bool {
        bytes.count == other.bytes.count && zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The digest as 64 hexadecimal digits in lower case.
    var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The value of a hexadecimal digit in lower case.
    static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
