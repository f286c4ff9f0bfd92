internal import Hashing

/// The SHA-256 digest of a token.
struct AccessDigest: Sendable {
    /// How many hexadecimal digits it has.
    private static let digits = 64

    private let digest: SHA256Digest

    /// Wraps a computed digest.
    init(_ digest: SHA256Digest) {
        self.digest = digest
    }

    /// Reads 64 lowercase hexadecimal digits; nil for anything else.
    init?(hexadecimal: String) {
        guard hexadecimal.utf8.count == Self.digits else {
            return nil
        }
        var words = SIMD4<UInt64>.zero
        for (index, digit) in hexadecimal.utf8.enumerated() {
            guard let nibble = Self.nibble(digit) else {
                return nil
            }
            words[index / 16] = words[index / 16] << 4 | UInt64(nibble)
        }
        digest = SHA256Digest(words: words)
    }

    /// Compares two digests in constant time.
    func matches(_ other: AccessDigest) -> Bool {
        let difference = digest.words ^ other.digest.words
        return difference[0] | difference[1] | difference[2] | difference[3] == 0
    }

    /// The digest as 64 lowercase hexadecimal digits.
    var hexadecimal: String {
        digest.hexadecimal
    }

    /// The value of a lowercase hexadecimal digit.
    static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
