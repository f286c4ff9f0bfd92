extension String {
    /// The text for a message: control and invisible characters made visible, cut to `limit` characters.
    package func shortened(to limit: Int) -> String {
        var result = ""
        var count = 0
        for scalar in unicodeScalars {
            guard count < limit else {
                return result + "…"
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
            count += 1
        }
        return result
    }
}
