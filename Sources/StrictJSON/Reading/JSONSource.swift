/// The text of a scanned JSON object, from which names and values are created on access.
package struct JSONSource: Sendable {
    /// The text as received.
    package let bytes: [UInt8]
    /// The decoded strings with escapes, back to back.
    package let decoded: [UInt8]

    /// A string in this text.
    package func string(_ string: ScannedJSONString) -> String {
        withUTF8(of: string) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls a closure with a string as UTF-8.
    @inline(__always)
    package func withUTF8<Value>(of string: ScannedJSONString, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        switch string {
        case .plain(let range): bytes.withUnsafeBufferPointer { use(UnsafeBufferPointer(rebasing: $0[range])) }
        case .decoded(let range): decoded.withUnsafeBufferPointer { use(UnsafeBufferPointer(rebasing: $0[range])) }
        }
    }

    /// The beginning of a string, for messages.
    package func excerpt(_ string: ScannedJSONString) -> String {
        withUTF8(of: string) { String(decoding: $0.excerpt, as: UTF8.self) }
    }

    /// Whether a string has exactly the bytes of a text.
    ///
    /// `String` compares by canonical equivalence, which equates different names and is slow on adversarial input.
    package func isString(_ string: ScannedJSONString, _ text: String) -> Bool {
        var text = text
        return withUTF8(of: string) { bytes in text.withUTF8 { bytes.hasSameBytes(as: $0) } }
    }

    /// The case whose raw value a string is, byte for byte; nil for any other string.
    package func word<Word: RawRepresentable<String> & CaseIterable>(_ string: ScannedJSONString, of type: Word.Type)
        -> Word?
    {
        Word.allCases.first { isString(string, $0.rawValue) }
    }

    /// The type and the beginning of the text of a value, for messages.
    package func summary(_ value: ScannedJSONValue) -> String {
        switch value {
        case .string(let string): JSONValue.string(excerpt(string)).summary
        case .number(let range): JSONValue.number(text(range.prefix(256))).summary
        case .nested(let range): JSONValue.nested(text(range.prefix(1))).summary
        case .integer, .bool, .null: self.value(value).summary
        }
    }

    /// A value in this text.
    package func value(_ value: ScannedJSONValue) -> JSONValue {
        switch value {
        case .string(let string): .string(self.string(string))
        case .integer(let value): .integer(value)
        case .number(let range): .number(text(range))
        case .bool(let value): .bool(value)
        case .null: .null
        case .nested(let range): .nested(text(range))
        }
    }

    /// Whether a value is an array or an object, which begins with a bracket.
    func isNested(_ value: ScannedJSONValue, in bracket: Unicode.Scalar) -> Bool {
        if case .nested(let range) = value { bytes[range.lowerBound] == UInt8(ascii: bracket) } else { false }
    }

    /// The elements of an array, in order, with the source they are in; nil for any other value.
    func elements(
        of value: ScannedJSONValue, depth: Int
    ) -> (source: JSONSource, values: [ScannedJSONValue])? {
        guard isNested(value, in: "["), case .nested(let range) = value else {
            return nil
        }
        return JSONScanner.with(bytes, in: range, depth: depth) { scanner in
            guard let values = try? scanner.scanWholeArray() else {
                return nil
            }
            return (JSONSource(bytes: bytes, decoded: scanner.decoded), values)
        }
    }

    /// A range that is known to be UTF-8.
    private func text(_ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self) }
    }
}
