/// Writes names, labels and values in Prometheus' text format.
///
/// - SeeAlso: [Exposition formats](https://prometheus.io/docs/instrumenting/exposition_formats/)
enum PrometheusText {
    /// A metric's name with every character that is not allowed replaced by an underscore.
    static func name(_ text: String) -> String {
        name(text, allowing: ":")
    }

    /// Labels as `name="value"`, comma-separated.
    static func labels(_ labels: [(String, String)]) -> String {
        labels.map { "\(name($0.0, allowing: "_"))=\"\(escaped($0.1, quotes: true))\"" }.joined(separator: ",")
    }

    /// A help text with backslash and line feed escaped.
    static func escapedHelp(_ text: String) -> String {
        escaped(text, quotes: false)
    }

    /// A number, without a fraction when it has none.
    static func number(_ value: Double) -> String {
        if value.isNaN {
            return "NaN"
        }
        if value.isInfinite {
            return value < 0 ? "-Inf" : "+Inf"
        }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func name(_ text: String, allowing other: Unicode.Scalar) -> String {
        var name = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "a"..."z", "A"..."Z", "_", other: name.unicodeScalars.append(scalar)
            case "0"..."9" where index > 0: name.unicodeScalars.append(scalar)
            default: name += "_"
            }
        }
        return name.isEmpty ? "_" : name
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var value = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": value += "\\\\"
            case "\"" where quotes: value += "\\\""
            case "\n": value += "\\n"
            default: value.unicodeScalars.append(scalar)
            }
        }
        return value
    }
}
