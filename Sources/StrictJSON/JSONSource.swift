#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The range of a scanned JSON string, with its escapes decoded.
package enum ScannedJSONString {
    /// A string without escapes: the range between the quotes, which is valid UTF-8.
    case plain(Range<Int>)
    /// A string with escapes: its range in the decoded bytes.
    case decoded(Range<Int>)
}

/// A scanned JSON value: its range in the text, or the value itself if it needs no allocation.
package enum ScannedJSONValue {
    case string(ScannedJSONString)
    /// A whole number within 64 bits.
    case integer(Int64)
    /// The text of every other number.
    case number(Range<Int>)
    case bool(Bool)
    case null
    /// The text of an array or an object.
    case nested(Range<Int>)
}

/// A scanned name with its value.
package struct ScannedJSONField {
    package let name: ScannedJSONString
    package let value: ScannedJSONValue
}

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
    func elements(of value: ScannedJSONValue, depth: Int) -> (source: JSONSource, values: [ScannedJSONValue])? {
        guard isNested(value, in: "["), case .nested(let range) = value else {
            return nil
        }
        return try? JSONScanner.with(bytes, in: range, depth: depth) { scanner throws(JSONError) in
            let values = try scanner.scanWholeArray()
            return (JSONSource(bytes: bytes, decoded: scanner.decoded), values)
        }
    }

    /// A range that is known to be UTF-8.
    private func text(_ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether both hold the same bytes.
    package func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count, let mine = baseAddress, let theirs = other.baseAddress else {
            return count == other.count
        }
        return memcmp(mine, theirs, count) == 0
    }

    /// The beginning of a text, for messages, cut between two characters.
    package var excerpt: UnsafeBufferPointer<UInt8> {
        var end = Swift.min(count, 256)
        // Continuation bytes are 10xxxxxx.
        while end < count, end > 0, self[end] & 0xC0 == 0x80 {
            end -= 1
        }
        return UnsafeBufferPointer(rebasing: self[..<end])
    }

    /// The index of the first occurrence of a byte at or after an index, or nil if there is none.
    package func firstIndex(of wanted: UInt8, from start: Int) -> Int? {
        guard let baseAddress, start < count, let found = memchr(baseAddress + start, CInt(wanted), count - start)
        else {
            return nil
        }
        return UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
    }
}
