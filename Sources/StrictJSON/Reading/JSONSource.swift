/// A JSON text that was scanned: names and values become Swift values when somebody asks for them, and not before.
package struct JSONSource: Sendable {
    /// The text as received.
    package let bytes: [UInt8]
    /// The strings with escapes, decoded, one after the other.
    package let decoded: [UInt8]

    /// A string of this text.
    package func string(_ place: JSONStringPlace) -> String {
        withUTF8(of: place) { String(decoding: $0, as: UTF8.self) }
    }

    /// Hands over a string as UTF-8.
    @inline(__always)
    package func withUTF8<Value>(of place: JSONStringPlace, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        switch place {
        case .plain(let range): bytes.withUnsafeBufferPointer { use(UnsafeBufferPointer(rebasing: $0[range])) }
        case .decoded(let range): decoded.withUnsafeBufferPointer { use(UnsafeBufferPointer(rebasing: $0[range])) }
        }
    }

    /// The beginning of a string, as much as a message may show.
    package func excerpt(_ place: JSONStringPlace) -> String {
        withUTF8(of: place) { String(decoding: $0.excerpt, as: UTF8.self) }
    }

    /// Whether a string has exactly the bytes of a text.
    ///
    /// `String` would compare by canonical equivalence, which takes two names for one and is slow on purpose-made texts.
    package func isString(_ place: JSONStringPlace, _ text: String) -> Bool {
        var text = text
        return withUTF8(of: place) { bytes in text.withUTF8 { bytes.hasSameBytes(as: $0) } }
    }

    /// The word of a closed set that a string is, byte for byte; nil for any other string.
    package func word<Word: RawRepresentable<String> & CaseIterable>(_ place: JSONStringPlace, of type: Word.Type)
        -> Word?
    {
        Word.allCases.first { isString(place, $0.rawValue) }
    }

    /// What a value is, for messages: its type and the beginning of its text.
    package func summary(_ place: JSONValuePlace) -> String {
        switch place {
        case .string(let place):
            JSONValue.string(excerpt(place)).summary
        case .number(let range): JSONValue.number(text(range.prefix(256))).summary
        case .nested(let range): JSONValue.nested(text(range.prefix(1))).summary
        case .integer, .bool, .null: value(place).summary
        }
    }

    /// A value of this text.
    package func value(_ place: JSONValuePlace) -> JSONValue {
        switch place {
        case .string(let place): .string(string(place))
        case .integer(let value): .integer(value)
        case .number(let range): .number(text(range))
        case .bool(let value): .bool(value)
        case .null: .null
        case .nested(let range): .nested(text(range))
        }
    }

    /// Bytes that were found to be UTF-8 when they were scanned.
    private func text(_ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self) }
    }
}
