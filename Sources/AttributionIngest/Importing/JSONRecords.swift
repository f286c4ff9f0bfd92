import Attribution
import StrictJSON

/// Takes a JSON object apart: a body as it was received, or an object with the body inside.
struct JSONRecords: Sendable {
    let options: ImportOptions

    private static let encodingField = "body-encoding"
    private static let applesFields = Set(PostbackField.allCases.map(\.rawValue))

    func read(_ bytes: [UInt8]) throws(ImportRecord.Problem) -> ImportRecord {
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(reading: bytes, limit: RawRecord.longest)
        } catch {
            throw .malformed(error.description)
        }
        let members = object.scannedFields.map { ImportOptions.normalized(object.source.string($0.name)) }
        func first(_ names: [String]) -> JSONField? {
            // In the order of the names, for the first is the most telling.
            for name in names {
                if let index = members.firstIndex(of: name) {
                    return JSONField(name: name, value: object.source.value(object.scannedFields[index].value))
                }
            }
            return nil
        }
        let bodyNames = options.names(options.bodyField, or: ImportOptions.bodyFields)
        let body: [UInt8]
        switch first(bodyNames)?.value {
        case .string(let text) where text.isEmpty || text == "-": return .withoutBody
        case .null: return .withoutBody
        case .string(let text): body = try Self.bytes(of: text, first([Self.encodingField])?.value)
        case .nested(let text): body = Array(text.utf8)
        case nil where options.bodyField == nil && members.contains(where: Self.applesFields.contains): body = bytes
        case .some(let value): throw .malformed("the body is \(value.summary), expected an object or a string")
        case nil: throw .noBody(names: bodyNames)
        }
        let time = first(options.names(options.receivedField, or: ImportOptions.receivedFields))
        return .delivery(
            body: body, receivedAtMilliseconds: try options.time(time?.value.plainText, name: time?.name),
            recipient: recipient(first(["recipient"]), path: first(ImportOptions.pathFields)))
    }

    /// The bytes of a body that is written as a string; `body-encoding` says how, as `skan` writes it.
    private static func bytes(
        of text: String,
        _ encoding: JSONValue?
    ) throws(ImportRecord.Problem) -> [UInt8] {
        switch encoding {
        case nil, .null, .string("utf-8"):
            return Array(text.utf8)
        case .string("base64"):
            guard let bytes = Base64.decode(text) else {
                throw .malformed("the body is not base64, as \(encodingField) says")
            }
            return bytes
        case let value?:
            throw .malformed("\(encodingField): found \(value.summary), expected utf-8 or base64")
        }
    }

    private func recipient(_ word: JSONField?, path: JSONField?) -> Delivery.Recipient {
        if case .string(let text)? = word?.value, let recipient = Delivery.Recipient(rawValue: text) {
            return recipient
        }
        return options.recipient(path: path?.value.plainText ?? "")
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
