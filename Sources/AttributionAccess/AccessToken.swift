internal import Hashing

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

    /// Creates a token.
    ///
    /// - Parameter generator: A cryptographically secure source of random bits.
    package init(using generator: inout some RandomNumberGenerator) {
        let words = (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        text = Self.prefix + words.joined()
    }

    /// Reads a presented token; nil, at little cost, for text that cannot be one.
    ///
    /// - Parameter text: The token alone.
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
