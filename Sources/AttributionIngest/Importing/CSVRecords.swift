import Attribution
import StrictJSON

/// Takes rows apart: with the body in one column, or with Apple's fields each in its own.
struct CSVRecords: Sendable {
    private let options: ImportOptions
    private let header: CSVHeader
    private let body: Int?
    private let received: Int?
    private let recipient: Int?
    private let path: Int?
    /// Columns of Apple's fields, where there is no body.
    private let fields: [(column: Int, field: PostbackField)]

    /// Finds the columns.
    ///
    /// - Throws: ``ImportRecord/Problem`` when there is neither a body nor what a postback is made of.
    init(_ header: CSVHeader, options: ImportOptions) throws(ImportRecord.Problem) {
        self.options = options
        self.header = header
        for (index, name) in header.names.enumerated() where !name.isEmpty && header.names[..<index].contains(name) {
            throw .malformed("two columns are called \(name.shortened(to: 40)); which one counts would be a guess")
        }
        let bodyNames = options.names(options.bodyField, or: ImportOptions.bodyFields)
        body = header.column(bodyNames)
        received = header.column(options.names(options.receivedField, or: ImportOptions.receivedFields))
        recipient = header.column(["recipient"])
        path = header.column(ImportOptions.pathFields)
        fields = header.names.enumerated().compactMap { column, name in
            PostbackField(rawValue: name).map { (column, $0) }
        }
        let hasSignature = fields.contains { $0.field == .attributionSignature || $0.field == .jwsString }
        guard body != nil || (options.bodyField == nil && hasSignature) else {
            throw .noBody(names: bodyNames)
        }
        guard received != nil || options.received != nil else {
            throw .noTime(names: options.names(options.receivedField, or: ImportOptions.receivedFields))
        }
    }

    func read(_ bytes: [UInt8]) throws(ImportRecord.Problem) -> ImportRecord {
        let cells = CSVRow(bytes, separator: header.separator).cells
        guard cells.count == header.names.count else {
            throw .malformed("found \(cells.count) cells, expected the header's \(header.names.count)")
        }
        let bytes: [UInt8]
        if let body {
            guard !cells[body].isEmpty, cells[body] != "-" else {
                return .withoutBody
            }
            bytes = Array(cells[body].utf8)
        } else {
            bytes = Array(JSONText.object(members(cells)).line.utf8)
        }
        let recipient =
            recipient.flatMap { Delivery.Recipient(rawValue: cells[$0]) }
            ?? options.recipient(path: path.map { cells[$0] } ?? "")
        let time = try options.time(received.map { cells[$0] }, name: received.map { header.names[$0] })
        return .delivery(body: bytes, receivedAtMilliseconds: time, recipient: recipient)
    }

    /// The postback of a row; an empty cell is a field that it does not have.
    private func members(_ cells: [String]) -> [(String, JSONText)] {
        fields.compactMap { column, field in
            let cell = cells[column]
            return cell.isEmpty ? nil : (field.rawValue, field.value(cell))
        }
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
