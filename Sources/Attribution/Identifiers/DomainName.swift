package import StrictJSON

/// A DNS domain name of at least two labels, in lower case and without a trailing dot (RFC 1035, section 2.3.1).
package struct DomainName: Hashable, Sendable, CustomStringConvertible {
    /// The name, for example `example.com`.
    package let text: String

    /// The rule, for messages.
    static let rule =
        "a domain in lower case, such as example.com, of at most 253 bytes: two or more labels of up to 63 of a-z, "
        + "0-9 and, not at either end, hyphens, the last label with a letter; other letters in xn-- form; "
        + "no address, scheme, port or path"

    /// Reads a name.
    ///
    /// - Parameters:
    ///   - text: The name; international names in their `xn--` form.
    ///   - field: The name of the field, for the message.
    /// - Throws: ``FieldProblem`` for a URL, a port, an address or anything else.
    package init(_ text: String, field: String) throws(FieldProblem) {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, text.utf8.count <= 253, labels.allSatisfy(Self.isLabel),
            labels.last?.utf8.contains(where: { $0 >= UInt8(ascii: "a") }) ?? false
        else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 80))\"", expected: Self.rule)
        }
        self.text = text
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The name.
    package var description: String {
        text
    }
}
