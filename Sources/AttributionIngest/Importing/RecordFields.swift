import Attribution
import StrictJSON

/// The fields of a record of CSV or JSON; names have no regard to letter case, and `-` for `_`.
struct RecordFields: Sendable {
    /// In the order of the record; the values of CSV are strings.
    let all: [(name: String, value: JSONValue)]
    /// How deep JSON may nest: what is around a postback may have several envelopes.
    static let depth = 32

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - bytes: A row, or a JSON object.
    ///   - header: The columns of the rows; nil for JSON.
    /// - Throws: ``ImportRecord/Problem`` for bytes that are neither.
    init(_ bytes: [UInt8], _ header: CSVHeader?) throws(ImportRecord.Problem) {
        if let header {
            let cells = CSVHeader.cells(of: bytes, separator: header.separator)
            guard cells.count == header.names.count else {
                throw .malformed("found \(cells.count) cells, expected the header's \(header.names.count)")
            }
            all = zip(header.names, cells).map { ($0, .string($1)) }
            return
        }
        do throws(JSONError) {
            all = try JSONObject(reading: bytes, limit: RawRecord.longest, depth: Self.depth).fields.map {
                (CSVHeader.normalized($0.name), $0.value)
            }
        } catch {
            throw .malformed(error.description)
        }
    }

    /// The first field by the order of some names, of which the first is the most telling.
    func first(_ names: [String]) -> (name: String, value: JSONValue)? {
        for name in names {
            if let field = all.first(where: { $0.name == name }) {
                return field
            }
        }
        return nil
    }

    /// The text or number of the first field by the order of some names.
    func text(_ names: [String]) -> String? {
        first(names)?.value.plainText
    }
}

extension JSONValue {
    /// A number or a string as text; nil for anything else.
    var plainText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .integer(let number): String(number)
        case .bool, .null, .nested: nil
        }
    }
}
