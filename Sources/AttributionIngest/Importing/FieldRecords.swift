import Attribution
import AttributionExplaining
import StrictJSON

/// Reads postbacks from records of CSV and JSON: bodies as they were received, whatever they are in, or Apple's fields
/// under any of their names, beside the time of receipt.
struct FieldRecords: Sendable {
    private let options: ImportOptions
    private let header: CSVHeader?
    private let bodyNames: [String]
    private let bodyPath: MemberPath?
    private let timeNames: [String]
    private let timePath: MemberPath?
    private let columns: ColumnRecords?

    private static let encoding = "body-encoding"

    /// A body, with the path to it and other bodies that it may be.
    private struct Found {
        let body: [UInt8]
        var path = MemberPath("")
        var others: [[UInt8]] = []
    }

    /// Takes the columns of CSV; nil for JSON.
    ///
    /// - Throws: ``ImportRecord/Problem`` when no record of the file can be read.
    init(_ header: CSVHeader?, options: ImportOptions) throws(ImportRecord.Problem) {
        self.options = options
        self.header = header
        bodyNames = options.names(options.bodyField, or: ImportOptions.bodyFields)
        bodyPath = options.bodyField.map { MemberPath($0) }
        timeNames = options.names(options.receivedField, or: ImportOptions.receivedFields)
        timePath = options.receivedField.map { MemberPath($0) }
        guard let header else {
            columns = nil
            return
        }
        let names = header.names
        for (index, name) in names.enumerated() where !name.isEmpty {
            if let first = names[..<index].firstIndex(of: name) {
                let both = [first, index].map { header.writtenNames[$0].shortened(to: 40) }
                throw .malformed(
                    "columns \(first + 1) and \(index + 1), \(both[0]) and \(both[1]), have one name; "
                        + "which one counts would be a guess")
            }
        }
        let hasBody =
            names.contains(where: bodyNames.contains) || bodyPath?.firstName.map(names.contains) ?? false
        columns = options.bodyField == nil && !hasBody ? try ColumnRecords(header) : nil
        guard columns != nil || hasBody else {
            throw .noBody(names: bodyNames)
        }
        guard options.received != nil || names.contains(where: timeNames.contains) else {
            throw .noTime(names: timeNames)
        }
    }

    /// The postbacks of a record: one, or those of an array in it.
    func read(_ bytes: [UInt8]) throws(ImportRecord.Problem) -> [ImportRecord] {
        let fields = try RecordFields(bytes, header)
        guard let found = try found(in: fields, bytes) else {
            return [.withoutBody]
        }
        let recipient =
            fields.text(["recipient"]).flatMap { Delivery.Recipient(rawValue: $0) }
            ?? options.recipient(path: fields.text(ImportOptions.pathFields) ?? "")
        var records: [ImportRecord] = []
        for found in found {
            let time = time(of: found, fields, bytes)
            records.append(
                .delivery(
                    body: found.body, receivedAtMilliseconds: try options.time(time?.text, name: time?.name),
                    recipient: recipient, others: found.others))
        }
        return records
    }

    // MARK: Bodies

    /// The bodies of a record; nil for one that has none.
    private func found(in fields: RecordFields, _ bytes: [UInt8]) throws(ImportRecord.Problem) -> [Found]? {
        let named = fields.first(bodyNames)
        if let bodyPath, named == nil {
            let first = header == nil ? nil : bodyPath.firstName.flatMap { fields.first([$0])?.value }
            let values =
                header == nil
                ? bodyPath.values(in: .nested(String(decoding: bytes, as: UTF8.self)))
                : first.map { bodyPath.rest.values(in: $0) } ?? []
            guard !values.isEmpty else {
                throw .noBody(names: [options.bodyField ?? ""])
            }
            var bodies: [Found] = []
            for (path, value) in values {
                bodies += (try Self.bodies(value, "", nil) ?? []).map { Found(body: $0.body, path: path) }
            }
            return bodies.isEmpty ? nil : bodies
        }
        if let named {
            return try Self.bodies(named.value, named.name, fields.first([Self.encoding])?.value)
        }
        if let columns {
            return columns.bodies(fields.all).flatMap { bodies in
                bodies.first.map { [Found(body: $0, others: Array(bodies.dropFirst()))] }
            }
        }
        guard !Self.isPostback(bytes) else {
            return [Found(body: bytes)]
        }
        let inside = try Self.resolved(PostbackFinder.postbacks(in: bytes))
        guard inside.isEmpty else {
            return inside
        }
        guard fields.all.contains(where: { PostbackField(rawValue: $0.name) != nil }) else {
            throw .noBody(names: bodyNames)
        }
        return [Found(body: bytes)]
    }

    /// The bodies in a value of a record; nil for a value that says that there is none.
    private static func bodies(
        _ value: JSONValue, _ name: String, _ encoding: JSONValue?
    ) throws(ImportRecord.Problem) -> [Found]? {
        switch value {
        case .string(""), .string("-"), .null: return nil
        case .string(let text):
            let body = try bytes(of: text, encoding)
            guard !isPostback(body) else {
                return [Found(body: body)]
            }
            let inside = try resolved(PostbackFinder.postbacks(in: body), under: name)
            return inside.isEmpty ? [Found(body: body)] : inside
        case .nested(let text):
            let body = Array(text.utf8)
            let inside = isPostback(body) ? [] : try resolved(PostbackFinder.postbacks(in: value, path: name))
            return inside.isEmpty ? [Found(body: body)] : inside
        case let value: throw .malformed("the body is \(value.summary), expected an object or a string")
        }
    }

    /// Whether a text is an object with Apple's own names, which is taken as it is.
    private static func isPostback(_ text: [UInt8]) -> Bool {
        guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let object = try? JSONObject(reading: text) else {
            return false
        }
        guard
            object.has(PostbackField.jwsString.rawValue)
                || object.has(PostbackField.attributionSignature.rawValue)
                    && object.has(PostbackField.adNetworkID.rawValue)
                    && object.has(PostbackField.transactionID.rawValue) && object.has(PostbackField.appID.rawValue)
        else {
            return false
        }
        // Values that name their types are not a device's.
        return text.count { $0 == UInt8(ascii: "{") } == 1 || !JSONBox.hold(object.fields)
    }

    /// What was found: one postback, or the elements of one array.
    private static func resolved(
        _ result: (found: [WrappedPostback], isCut: Bool), under name: String = ""
    ) throws(ImportRecord.Problem) -> [Found] {
        let postbacks = result.found
        guard let first = postbacks.first else {
            return []
        }
        guard !result.isCut else {
            throw .malformed("it holds more than is looked through; --body-field names the bodies, as Records[].body")
        }
        if let ambiguity = postbacks.lazy.compactMap(\.ambiguity).first {
            throw .malformed("\(ambiguity)")
        }
        let chosen = postbacks.filter { $0.shape == first.shape }
        if let other = postbacks.first(where: { other in !chosen.contains { $0.signature == other.signature } }) {
            throw .malformed(
                "found a postback in \(first.place) and another in \(other.place); --body-field names the one that counts"
            )
        }
        return chosen.map { postback in
            let separator = name.isEmpty || postback.path.isEmpty || postback.path.hasPrefix("[") ? "" : "."
            return Found(body: postback.body, path: MemberPath(name + separator + postback.path))
        }
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

    // MARK: Times

    /// The time of receipt: where it is named, of the record, or of what is around the body, the innermost first.
    private func time(of found: Found, _ fields: RecordFields, _ bytes: [UInt8]) -> (name: String, text: String)? {
        if let (name, value) = fields.first(timeNames) {
            let value = JSONBox.contents(of: value)?.value ?? value
            return value.plainText.map { (name, $0) }
        }
        guard header == nil, options.received == nil else {
            return nil
        }
        let record = JSONValue.nested(String(decoding: bytes, as: UTF8.self))
        if let timePath {
            return timePath.beside(found.path).values(in: record).first?.value.plainText
                .map { (options.receivedField ?? "", $0) }
        }
        for path in found.path.ancestors {
            let value = path.values(in: record).first?.value
            if let time = value?.text(ImportOptions.receivedFields) ?? value?.innerText(Self.envelopeTimes) {
                return time
            }
        }
        return nil
    }

    /// Names of times in the envelopes of queues and clouds.
    private static let envelopeTimes = ["senttimestamp", "timeepoch", "publishtime", "approximatearrivaltimestamp"]
}

extension WrappedPostback {
    /// The path without the numbers of elements.
    fileprivate var shape: String {
        path.replacing(/\[[0-9]+\]/, with: "[]")
    }

    fileprivate var place: String {
        path.isEmpty ? "the record itself" : path
    }

    fileprivate var signature: JSONValue? {
        fields[.attributionSignature] ?? fields[.jwsString]
    }
}
