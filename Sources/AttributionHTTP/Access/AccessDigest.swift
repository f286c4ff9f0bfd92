internal import Crypto

/// The SHA-256 digest of a token.
struct AccessDigest: Sendable {
    /// How many hexadecimal digits it has.
    private static let digits = 64

    /// The bytes in order, the first in the highest place of the first word.
    private let words: SIMD4<UInt64>

    /// Takes a digest that was just computed.
    init(_ digest: SHA256Digest) {
        var words = SIMD4<UInt64>.zero
        for (index, byte) in digest.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// Reads 64 hexadecimal digits in lower case; nil for another text.
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
        self.words = words
    }

    /// Compares in a time that says nothing of where two digests differ.
    func matches(_ other: AccessDigest) -> Bool {
        let difference = words ^ other.words
        return difference[0] | difference[1] | difference[2] | difference[3] == 0
    }

    /// The digest as 64 hexadecimal digits in lower case.
    var hexadecimal: String {
        (0..<4).map { index in
            let digits = String(words[index], radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
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
