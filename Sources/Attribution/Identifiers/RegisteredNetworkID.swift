package import StrictJSON

/// The id of an ad network as Apple registers it and as it must appear in an app's Info.plist.
///
/// Letters a–z and digits, a dot and the framework's name, all in lower case: the system recognizes no other spelling.
/// Stricter than ``AdNetworkID``, which accepts whatever a postback has.
///
/// - SeeAlso: [Configuring a source app](https://developer.apple.com/documentation/storekit/configuring-a-source-app),
///   [Configuring a publisher app](https://developer.apple.com/documentation/adattributionkit/configuring-a-publisher-app)
package struct RegisteredNetworkID: Hashable, Sendable, CustomStringConvertible {
    /// The framework an id was registered for.
    package enum Framework: String, CaseIterable, Sendable {
        /// SKAdNetwork; AdAttributionKit takes these ids too.
        case skadnetwork
        /// AdAttributionKit only.
        case adattributionkit
    }

    /// The id, for example `example123.skadnetwork`.
    package let text: String
    /// The framework it was registered for.
    package let framework: Framework

    /// Reads an id.
    package init(_ text: String) throws(FieldProblem) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let framework = Framework(rawValue: String(parts[1])),
            (1...64).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            })
        else {
            throw FieldProblem(
                field: "id", found: text.shortened(to: 80),
                expected: "a-z 0-9, then .skadnetwork or .adattributionkit, all in lower case")
        }
        self.text = text
        self.framework = framework
    }

    package var description: String { text }
}

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

    package var description: String { text }
}
