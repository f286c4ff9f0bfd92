import AttributionListener
import CodedErrors

extension IngressRequest {
    /// The query as received; empty without one.
    var query: String {
        target?.query ?? ""
    }

    /// The parameters of the query, decoded; a plus sign is one, unlike in a form.
    var queryParameters: [(name: String, value: String)] {
        query.utf8.decodedPairs { $0.percentDecoded() }
    }

    /// The element of the path for which the route has braces.
    var name: String {
        target?.lastElement ?? ""
    }

    /// Whether the request names one media type, and this one.
    func hasMediaType(_ expected: IngressMediaType) -> Bool {
        let types = fields.values("content-type")
        return types.count == 1 && types.allSatisfy(expected.matches)
    }

    /// The body of a request whose route takes less than the listener.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``CodedErrors/Refusal`` for a body that is too long.
    func body(upTo limit: Int) throws(Refusal) -> [UInt8] {
        guard body.count <= limit else {
            throw Refusal(.bodyTooLarge, "the body is larger than \(limit) bytes")
        }
        return body
    }
}

extension Collection<UInt8> {
    /// The names and values of a query or a form, in order; a value is empty without an equals sign.
    ///
    /// - Parameter decoded: Decodes a name or a value.
    /// - Returns: The pairs.
    func decodedPairs(_ decoded: (SubSequence) -> String) -> [(name: String, value: String)] {
        split(separator: UInt8(ascii: "&")).map { pair in
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(sides[0]), sides.count > 1 ? decoded(sides[1]) : "")
        }
    }

    /// The text with its percent-encoded bytes decoded; bytes that are not UTF-8 become U+FFFD.
    func percentDecoded() -> String {
        var output: [UInt8] = []
        var rest = self[...]
        while let byte = rest.popFirst() {
            let digits = byte == UInt8(ascii: "%") ? rest.prefix(2).compactMap(Self.hexadecimalValue) : []
            if digits.count == 2 {
                output.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
