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
    ///
    /// - Parameter text: The id.
    /// - Throws: ``FieldProblem`` if Apple does not register such ids.
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

    /// The id.
    package var description: String {
        text
    }
}
