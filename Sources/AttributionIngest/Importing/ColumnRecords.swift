import Attribution
import AttributionExplaining
import StrictJSON

/// Puts postbacks together from rows with Apple's fields in columns, where nothing has a type.
///
/// The text of a cell is read as a device would write it. Where a cell has another spelling (`42.0`, `t`), the readings
/// that it may have are tried, and the signature decides; a cell that is not signed is read by a fixed rule. Both are
/// noted in the body.
struct ColumnRecords: Sendable {
    private let columns: [(field: PostbackField, index: Int)]

    /// Members that say of which fields the cell was not as a device writes it.
    private static let proven = "skan-cells-proven"
    private static let unproven = "skan-cells-unproven"
    /// The most bodies of a row that are tried.
    static let maximumReadings = 16

    /// Takes the columns; nil if they are none of a postback.
    init?(_ header: CSVHeader) throws(ImportRecord.Problem) {
        let names = header.names
        let found = FieldNames(header.writtenNames, prefersExact: false)
        let isExact =
            names.contains(PostbackField.attributionSignature.rawValue)
            || names.contains(PostbackField.jwsString.rawValue)
        guard found.arePlausible || isExact else {
            return nil
        }
        if let ambiguity = found.ambiguities.first {
            throw .malformed("columns: \(ambiguity)")
        }
        columns = found.indices.map { ($0.key, $0.value) }.sorted { $0.index < $1.index }
    }

    /// The bodies that a row may be, first with its cells as they are; nil for a row without any.
    func bodies(_ cells: [(name: String, value: JSONValue)]) -> [[UInt8]]? {
        var plain: [(PostbackField, JSONValue)] = []
        var signed: [(field: PostbackField, plain: JSONValue, readings: [JSONValue?])] = []
        var unproven: [String] = []
        let version = columns.first { $0.field == .version }.flatMap { cells[$0.index].value.plainText } ?? ""
        let signsRedownload = !["", "1", "1.0"].contains(version)
        for (field, index) in columns {
            // An empty cell is a field that the postback does not have.
            guard let text = cells[index].value.plainText, !text.isEmpty else {
                continue
            }
            let value = field.value(text)
            if !field.decides || field == .redownload && !signsRedownload {
                let reading = CellReading.unsigned(text, as: field)
                unproven += reading == value ? [] : [field.rawValue]
                plain += reading.map { [(field, $0)] } ?? []
            } else {
                plain.append((field, value))
                signed.append((field, value, CellReading.signed(text, as: field)))
            }
        }
        guard !signed.isEmpty else {
            return nil
        }
        let notes: [(String, JSONText)] =
            unproven.isEmpty ? [] : [(Self.unproven, .string(unproven.joined(separator: ", ")))]
        return [Self.body(plain, notes)]
            + readings(of: signed, in: plain).map { values, proven in
                Self.body(values, [(Self.proven, .string(proven.joined(separator: ", ")))] + notes)
            }
    }

    /// The values of a row with its signed cells read otherwise, and of which fields.
    private func readings(
        of signed: [(field: PostbackField, plain: JSONValue, readings: [JSONValue?])],
        in plain: [(PostbackField, JSONValue)]
    ) -> [(values: [(PostbackField, JSONValue)], proven: [String])] {
        var rows = [(values: [PostbackField: JSONValue](), proven: [String]())]
        for (field, plain, readings) in signed {
            rows = rows.flatMap { row in
                readings.map { reading in
                    var row = row
                    row.values[field] = reading
                    row.proven += reading == plain ? [] : [field.rawValue]
                    return row
                }
            }
            // What is cut off has more of the less likely readings.
            rows = Array(rows.prefix(Self.maximumReadings))
        }
        let keys = Set(signed.map(\.field))
        return rows.filter { !$0.proven.isEmpty }.prefix(Self.maximumReadings - 1).map { row in
            (
                plain.compactMap { field, value in
                    keys.contains(field) ? row.values[field].map { (field, $0) } : (field, value)
                }, row.proven
            )
        }
    }

    private static func body(_ values: [(PostbackField, JSONValue)], _ notes: [(String, JSONText)]) -> [UInt8] {
        Array(JSONText.object(values.map { ($0.rawValue, $1.text) } + notes).line.utf8)
    }
}

extension PostbackField {
    /// A value as devices write it; one that is no such value becomes a string, which the reader refuses by name.
    fileprivate func value(_ text: String) -> JSONValue {
        switch self {
        case .campaignID, .appID, .sourceAppID, .fidelityType, .sequenceIndex, .conversionValue,
            .advertisedItemIdentifier, .publisherItemIdentifier:
            if let number = Int64(text), String(number) == text {
                return .integer(number)
            }
        case .redownload, .didWin:
            switch text {
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: break
            }
        default: break
        }
        return .string(text)
    }
}
