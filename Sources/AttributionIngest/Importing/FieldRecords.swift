import Attribution
import StrictJSON

/// Reads postbacks from records of CSV and JSON: bodies as they were received, Apple's fields by their names, or either
/// beside the time of receipt.
struct FieldRecords: Sendable {
    private let options: ImportOptions
    private let header: CSVHeader?
    private let bodyNames: [String]
    private let timeNames: [String]

    private static let encoding = "body-encoding"
    private static let applesFields = Set(PostbackField.allCases.map(\.rawValue))
    private static let signatures = [PostbackField.attributionSignature.rawValue, PostbackField.jwsString.rawValue]

    /// Takes the columns of CSV; nil for JSON.
    ///
    /// - Throws: ``ImportRecord/Problem`` when no record of the file can be read.
    init(_ header: CSVHeader?, options: ImportOptions) throws(ImportRecord.Problem) {
        self.options = options
        self.header = header
        bodyNames = options.names(options.bodyField, or: ImportOptions.bodyFields)
        timeNames = options.names(options.receivedField, or: ImportOptions.receivedFields)
        guard let names = header?.names else {
            return
        }
        for (index, name) in names.enumerated() where !name.isEmpty && names[..<index].contains(name) {
            throw .malformed("two columns are called \(name.shortened(to: 40)); which one counts would be a guess")
        }
        let isPostback = options.bodyField == nil && names.contains(where: Self.signatures.contains)
        guard isPostback || names.contains(where: bodyNames.contains) else {
            throw .noBody(names: bodyNames)
        }
        guard options.received != nil || names.contains(where: timeNames.contains) else {
            throw .noTime(names: timeNames)
        }
    }

    func read(_ bytes: [UInt8]) throws(ImportRecord.Problem) -> ImportRecord {
        let fields = try RecordFields(bytes, header)
        let body: [UInt8]
        switch fields.first(bodyNames)?.value {
        case .string(""), .string("-"), .null: return .withoutBody
        case .string(let text): body = try Self.bytes(of: text, fields.first([Self.encoding])?.value)
        case .nested(let text): body = Array(text.utf8)
        case nil where options.bodyField == nil && fields.all.contains { Self.applesFields.contains($0.name) }:
            body = header == nil ? bytes : Self.postback(fields)
        case .some(let value): throw .malformed("the body is \(value.summary), expected an object or a string")
        case nil: throw .noBody(names: bodyNames)
        }
        let time = fields.first(timeNames)
        let recipient =
            fields.text(["recipient"]).flatMap { Delivery.Recipient(rawValue: $0) }
            ?? options.recipient(path: fields.text(ImportOptions.pathFields) ?? "")
        return .delivery(
            body: body, receivedAtMilliseconds: try options.time(time?.value.plainText, name: time?.name),
            recipient: recipient)
    }

    /// The bytes of a body that is written as a string; `body-encoding` says how, as `skan` writes it.
    private static func bytes(
        of text: String,
        _ encoding: JSONValue?
    ) throws(ImportRecord.Problem) -> [UInt8] {
        switch encoding {
        case nil, .null, .string("utf-8"), .string(""):
            return Array(text.utf8)
        case .string("base64"):
            guard let bytes = Base64.decode(text) else {
                throw .malformed("the body is not base64, as \(Self.encoding) says")
            }
            return bytes
        case let value?:
            throw .malformed("\(Self.encoding): found \(value.summary), expected utf-8 or base64")
        }
    }

    /// The postback of a row with Apple's fields; an empty cell is a field that it does not have.
    private static func postback(_ fields: RecordFields) -> [UInt8] {
        let members = fields.all.compactMap { name, value -> (String, JSONText)? in
            guard let field = PostbackField(rawValue: name), let text = value.plainText, !text.isEmpty else {
                return nil
            }
            return (name, field.value(text))
        }
        return Array(JSONText.object(members).line.utf8)
    }
}

extension PostbackField {
    /// A value as devices write it; one that is no such value becomes a string, which the reader refuses by name.
    fileprivate func value(_ text: String) -> JSONText {
        switch self {
        case .campaignID, .appID, .sourceAppID, .fidelityType, .sequenceIndex, .conversionValue,
            .advertisedItemIdentifier, .publisherItemIdentifier:
            if let number = Int64(text), String(number) == text {
                return .integer(number)
            }
        case .redownload, .didWin:
            switch text.lowercased() {
            case "true", "1": return .bool(true)
            case "false", "0": return .bool(false)
            default: break
            }
        default: break
        }
        return .string(text)
    }
}
