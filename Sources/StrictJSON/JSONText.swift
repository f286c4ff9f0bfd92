/// A JSON document to write with ``JSONWriter``, with its names in the order given.
package enum JSONText: Sendable, Hashable {
    /// Names and values in the order they are written.
    case object([Member])
    /// Values in the order they are written.
    case array([JSONText])
    case string(String)
    case integer(Int64)
    /// A number with at most `places` decimals, for rates and means.
    case decimal(Double, places: Int)
    case bool(Bool)
    case null

    /// One name and its value.
    package struct Member: Sendable, Hashable {
        let name: String
        let value: JSONText

        init(_ name: String, _ value: JSONText) {
            self.name = name
            self.value = value
        }
    }

    /// An object from names and values.
    package static func object(_ members: KeyValuePairs<String, JSONText>) -> JSONText {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// An object from a list of names and values.
    package static func object(_ members: [(String, JSONText)]) -> JSONText {
        .object(members.map { Member($0.0, $0.1) })
    }

    /// The text on one line, as NDJSON requires.
    package var line: String {
        JSONWriter.line(write)
    }

    /// The bytes of a line with its newline.
    package var lineBytes: [UInt8] {
        JSONWriter.lineBytes(write)
    }

    /// The text over several lines, indented by two spaces, without a final newline.
    package var pretty: String {
        JSONWriter.pretty(write)
    }

    /// Writes it as a value of a larger document, or as a document by itself.
    package func write(to json: inout JSONWriter) {
        switch self {
        case .object(let members):
            json.object { json in
                for member in members { member.write(to: &json) }
            }
        case .array(let values):
            json.array { json in
                for value in values { value.write(to: &json) }
            }
        case .string(let text): json.string(text)
        case .integer(let value): json.integer(value)
        case .decimal(let value, let places): json.decimal(value, places: places)
        case .bool(let value): json.bool(value)
        case .null: json.null()
        }
    }
}

extension JSONText.Member {
    fileprivate func write(to json: inout JSONWriter) {
        json.name(name)
        value.write(to: &json)
    }
}
