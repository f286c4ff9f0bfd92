/// The credentials in a request's Authorization lines, RFC 6750 section 2.1.
package enum BearerCredentials: Equatable {
    /// No line, or one of another scheme.
    case none
    /// The scheme is Bearer but what follows is not a token, or there are several lines.
    case malformed
    /// A token, not yet checked.
    case token(String)

    /// Reads the lines.
    ///
    /// - Parameter authorization: The value of each Authorization line.
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
