extension String {
    /// The text for use in a message: control and invisible characters escaped, cut to about `limit` characters.
    package func shortened(to limit: Int) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(limit * 4)
        var count = 0
        for scalar in unicodeScalars {
            guard count < limit else {
                result += "…".utf8
                break
            }
            count += 1
            if (0x20..<0x7F).contains(scalar.value) {
                result.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if scalar.isVisible {
                result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            } else {
                let escape = "\\u{\(String(scalar.value, radix: 16))}"
                result += escape.utf8
                count += escape.utf8.count - 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// Whether it can be seen, by itself or by its effect on its neighbours.
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
