import Attribution
import Platform
package import StrictJSON

/// A bearer token of the console: `skan_` and 256 random bits as 64 hexadecimal digits.
///
/// The prefix lets secret scanners recognize one. It exists in memory only: files store its digest, and its description
/// does not reveal it, so that logs cannot.
package struct AccessToken: Sendable, CustomStringConvertible {
    /// What every token begins with.
    package static let prefix = "skan_"

    /// The token as its holder sends it.
    package let text: String

    package init(using generator: inout some RandomNumberGenerator) {
        text = Self.prefix + generator.hexadecimal(words: 4)
    }

    /// Reads a presented token; nil, at little cost, for text that cannot be one.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.dropFirst(Self.prefix.utf8.count).are64HexadecimalDigits else {
            return nil
        }
        self.text = text
    }

    /// The digest stored for the token: with 256 random bits, one SHA-256 is as hard to reverse as any password hash,
    /// and how long a comparison takes says nothing of use.
    var digest: String {
        SHA256.digest(of: text).hexadecimal
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

extension RandomNumberGenerator {
    /// Random bits as 16 lowercase hexadecimal digits a word of 64 bits.
    mutating func hexadecimal(words: Int) -> String {
        (0..<words).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &self), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension Collection<UInt8> {
    /// Whether these are the digits of a token or of its digest.
    var are64HexadecimalDigits: Bool {
        count == 64 && allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

extension AccessToken {
    /// Reads the token in a request's Authorization lines, RFC 6750 section 2.1.
    ///
    /// - Throws: ``AccessRefusal/noCredentials`` without a line or for one of another scheme,
    ///   ``AccessRefusal/malformed`` for several lines or what cannot be a bearer token, and ``AccessRefusal/unknown``
    ///   for a bearer token that is not one of ours.
    init(authorization: [String]) throws(AccessRefusal) {
        guard let value = authorization.first else {
            throw .noCredentials
        }
        guard authorization.count == 1 else {
            throw .malformed
        }
        // Bytes, not characters, because this runs for every request.
        let scheme = value.utf8.prefix { $0 != UInt8(ascii: " ") }
        // Its name is case-insensitive (RFC 9110 section 11.1).
        guard scheme.count == 6, zip(scheme, "bearer".utf8).allSatisfy({ $0 | 0x20 == $1 }) else {
            throw .noCredentials
        }
        let text = value.utf8.dropFirst(scheme.count).drop { $0 == UInt8(ascii: " ") }
        guard Self.isBearerToken(text) else {
            throw .malformed
        }
        guard let token = AccessToken(String(Substring(text))) else {
            throw .unknown
        }
        self = token
    }

    /// Whether a text is of the form `1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="`.
    private static func isBearerToken(_ text: Substring.UTF8View) -> Bool {
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
