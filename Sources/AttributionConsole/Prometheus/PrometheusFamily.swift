/// A metric's name with its kind and help text.
package struct PrometheusFamily: Hashable, Sendable {
    /// What its values mean.
    package enum Kind: String, Hashable, Sendable {
        case counter, gauge, histogram
    }

    /// The name, as it is exposed.
    package let name: String
    /// What its values mean.
    package let kind: Kind
    /// One sentence for people.
    package let help: String

    /// Declares a metric.
    ///
    /// - Parameters:
    ///   - name: The name: letters, digits, underscores and colons.
    ///   - kind: What its values mean.
    ///   - help: One sentence for people.
    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// The two lines that come before the samples.
    var header: String {
        "# HELP \(name) \(PrometheusText.escapedHelp(help))\n# TYPE \(name) \(kind.rawValue)\n"
    }
}
