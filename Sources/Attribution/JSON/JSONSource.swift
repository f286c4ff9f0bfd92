/// A JSON text that was scanned: places in it become values when somebody asks for them, and not before.
struct JSONSource: Sendable {
    /// The text as received.
    let bytes: [UInt8]
    /// The strings that are not their bytes.
    let decoded: [String]

    /// The string at a place of this text.
    func string(_ place: JSONStringPlace) -> String {
        switch place {
        case .plain(let range): text(range)
        case .decoded(let number): decoded[number]
        }
    }

    /// Hands over the string at a place as UTF-8.
    func withUTF8<Value>(of place: JSONStringPlace, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        switch place {
        case .plain(let range):
            return bytes.withUnsafeBufferPointer { use(UnsafeBufferPointer(rebasing: $0[range])) }
        case .decoded(let number):
            var text = decoded[number]
            return text.withUTF8(use)
        }
    }

    /// Whether the string at a place is a text.
    func isString(_ place: JSONStringPlace, _ text: String) -> Bool {
        switch place {
        case .plain(let range): bytes[range].elementsEqual(text.utf8)
        case .decoded(let number): decoded[number] == text
        }
    }

    /// The value at a place of this text.
    func value(_ place: JSONValuePlace) -> JSONValue {
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
