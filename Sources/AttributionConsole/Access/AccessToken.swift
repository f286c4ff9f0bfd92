internal import Platform
package import StrictJSON

/// A bearer token of the console: `skan_` and 256 random bits as 64 hexadecimal digits.
///
/// The prefix lets secret scanners recognize one. It exists in memory only: files store its digest, and its description
/// does not reveal it, so that logs cannot.
package struct AccessToken: Sendable, CustomStringConvertible {
    /// What every token begins with.
    package static let prefix = "skan_"
    private static let digits = 64

    /// The token as its holder sends it.
    package let text: String

    package init(using generator: inout some RandomNumberGenerator) {
        let words = (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        text = Self.prefix + words.joined()
    }

    /// Reads a presented token; nil, at little cost, for text that cannot be one.
    package init?(_ text: String) {
        guard text.utf8.count == Self.prefix.utf8.count + Self.digits, text.hasPrefix(Self.prefix),
            text.utf8.dropFirst(Self.prefix.utf8.count).allSatisfy({ AccessDigest.nibble($0) != nil })
        else {
            return nil
        }
        self.text = text
    }

    /// The digest stored for the token: with 256 random bits, one SHA-256 is as hard to reverse as any password hash.
    var digest: AccessDigest {
        AccessDigest(SHA256.digest(of: text))
    }

    /// The prefix alone.
    package var description: String {
        Self.prefix + "…"
    }
}

extension String {
    /// The text without tokens, whole or cut off in their second half; for errors, which may quote what was typed.
    package var withoutTokens: String {
        replacing(/skan_[0-9a-f]{32,}…?/.ignoresCase(), with: AccessToken.prefix + "…")
    }

    /// Whether there is a token in it, whole or cut off.
    var holdsToken: Bool {
        withoutTokens != self
    }
}

extension FieldProblem {
    /// The problem without what was found, if that is a token where none should be.
    package var withoutTokens: FieldProblem {
        FieldProblem(
            field: field.withoutTokens, found: found.holdsToken ? "a token, which is not shown" : found,
            expected: expected)
    }
}

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

/// The credentials in a request's Authorization lines, RFC 6750 section 2.1.
package enum BearerCredentials: Equatable {
    /// No line, or one of another scheme.
    case none
    /// The scheme is Bearer but what follows is not a token, or there are several lines.
    case malformed
    /// A token, not yet checked.
    case token(String)

    /// Reads the lines.
    package init(authorization: [String]) {
        guard let value = authorization.first else {
            self = .none
            return
        }
        guard authorization.count == 1 else {
            self = .malformed
            return
        }
        // Bytes, not characters, because this runs for every request.
        let scheme = value.utf8.prefix { $0 != UInt8(ascii: " ") }
        guard scheme.count == Self.scheme.count, zip(scheme, Self.scheme).allSatisfy({ $0 | 0x20 == $1 }) else {
            self = .none
            return
        }
        let token = value.utf8.dropFirst(scheme.count).drop { $0 == UInt8(ascii: " ") }
        self = Self.isToken(token) ? .token(String(Substring(token))) : .malformed
    }

    /// The scheme's name, which is case-insensitive (RFC 9110 section 11.1).
    private static let scheme = Array("bearer".utf8)

    /// Whether a text is of the form `1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="`.
    private static func isToken(_ text: Substring.UTF8View) -> Bool {
        let body = text.prefix { $0 != UInt8(ascii: "=") }
        return !body.isEmpty
            && text.dropFirst(body.count).allSatisfy { $0 == UInt8(ascii: "=") }
            && body.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
