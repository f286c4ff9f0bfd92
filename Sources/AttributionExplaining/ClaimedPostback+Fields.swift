import Attribution
import AttributionSigning
import StrictJSON

/// Repairs of fields that were added, dropped or moved.
extension ClaimedPostback {
    private var optionalFields: [PostbackField] {
        isAdAttributionKit ? [.publisherItemIdentifier, .marketplaceIdentifier] : [.sourceAppID, .sourceDomain]
    }

    /// Without the optional fields, those that hold nothing or those that hold something: each, and all.
    func withoutOptionalFields(ifEmpty: Bool) -> [Repair] {
        let cause: ExplanationCause = ifEmpty ? .zeroFilled : .fieldAdded
        let statement = statement
        let present = optionalFields.filter { field in
            statement[field].map { Self.emptyValues.contains($0) == ifEmpty } ?? false
        }
        var repairs = present.map { repair(cause, $0, nil) }
        if present.count > 1 {
            let names = present.map(\.rawValue).joined(separator: " and ")
            repairs.append(
                Repair(cause, names, "\(names) were absent", present.reduce(self) { $0.with($1, nil) }))
        }
        // A forwarder's own fields spoil nothing beside the signed ones, but inside the payload they do.
        let unknown = isAdAttributionKit ? statement.filter { PostbackField(rawValue: $0.name) == nil } : []
        if !ifEmpty, let first = unknown.first {
            var copy = self
            copy.statement = statement.filter { !unknown.contains($0) }
            let names = unknown.map { $0.name.shortened(to: 60) }.joined(separator: ", ")
            repairs.append(Repair(cause, first.name.shortened(to: 60), "the payload had no \(names)", copy))
        }
        return repairs
    }

    private static let emptyValues: Set<JSONValue> = [.integer(0), .string(""), .string("0"), .null, .bool(false)]

    /// With the required field that is missing, in each of the few values it can have.
    var withDroppedFields: [Repair] {
        // Where they were in a payload cannot be known.
        guard !isAdAttributionKit else {
            return []
        }
        if fields[.version] == nil {
            // The first to be tried as a dropped version; otherwise it is 1.0.
            return SKAdNetworkVersion.allCases.reversed().filter { $0 > .v1_0 }
                .map { repair(.fieldRemoved, .version, .string($0.rawValue)) }
        }
        let missing = signedFields.filter { fields[$0].map { $0 == .null } ?? true && $0 != .sourceDomain }
        let required = missing.filter { $0 != .sourceAppID }
        // Two at once have too many values together.
        var repairs =
            required.count == 1
            ? Self.fewValues(of: required[0]).map { repair(.fieldRemoved, required[0], $0) } : []
        if fields[.sourceAppID] == nil, fields[.sourceDomain] == nil, missing.contains(.sourceAppID) {
            repairs.append(repair(.fieldRemoved, .sourceAppID, .integer(0)))
        }
        return repairs
    }

    /// Every value of a field that has only few.
    private static func fewValues(of field: PostbackField) -> [JSONValue] {
        switch field {
        case .redownload, .didWin: [.bool(true), .bool(false)]
        case .fidelityType: [.integer(1), .integer(0)]
        case .sequenceIndex: [.integer(0), .integer(1), .integer(2)]
        case .campaignID: (1...100).map(JSONValue.integer)
        default: []
        }
    }

    /// With values under the names of siblings put back, and exchanged.
    var withFieldsMoved: [Repair] {
        var repairs: [Repair] = []
        // Under a name that decides nothing, a value counts as absent, which is tried by itself.
        for (from, to) in Self.aliases where fields[to] == nil && signedFields.contains(to) {
            if let value = fields[from], let type = to.wireType, let value = type.convert(value) {
                repairs.append(
                    Repair(
                        .movedField, to.rawValue, "\(from.rawValue) were \(to.rawValue) \(value.summary)",
                        with(from, nil).with(to, value)))
            }
        }
        return repairs + withValuesSwapped
    }

    /// With Apple's names for those fields that decide and have another.
    var withNamesRespelled: [Repair] {
        guard !isAdAttributionKit else {
            return []
        }
        var copy = self
        let renamed: [(name: String, field: PostbackField)]
        (copy.fields, renamed) = FieldNames(fields.map(\.name)).applied(to: fields, where: \.decides)
        return renamed.isEmpty ? [] : [copy.repair(renamed)]
    }

    /// The repair that gave fields Apple's names.
    func repair(_ renamed: [(name: String, field: PostbackField)]) -> Repair {
        let fields = renamed.map(\.field.rawValue).joined(separator: ", ")
        let names = renamed.prefix(3).map { $0.name.shortened(to: 60) }.joined(separator: ", ")
        let condition =
            renamed.count <= 3
            ? "\(names) were \(fields)" : "\(names) and \(renamed.count - 3) others had Apple's names"
        return Repair(.renamedField, fields, condition, self)
    }

    private static let aliases: [(PostbackField, PostbackField)] = [
        (.campaignID, .sourceIdentifier), (.sourceIdentifier, .campaignID), (.sourceAppID, .sourceDomain),
        (.sourceDomain, .sourceAppID), (.adNetworkIdentifier, .adNetworkID), (.postbackIdentifier, .transactionID),
        (.advertisedItemIdentifier, .appID), (.publisherItemIdentifier, .sourceAppID),
    ]

    /// With the values of two fields of one type exchanged.
    private var withValuesSwapped: [Repair] {
        exchanges { $0 == $1 }
    }

    /// With the values of two fields of different types exchanged, each in the type of its field; few pairs can be.
    var withTypesExchanged: [Repair] {
        exchanges { $0 != $1 }
    }

    private func exchanges(where areExchanged: (WireType, WireType) -> Bool) -> [Repair] {
        let statement = statement
        let present = signedFields.filter { statement[$0] != nil && $0 != .version }
        var repairs: [Repair] = []
        for (index, first) in present.enumerated() {
            for second in present[(index + 1)...] {
                if let type = first.wireType, let otherType = second.wireType, areExchanged(type, otherType),
                    let one = statement[first], let other = statement[second], one != other,
                    let newFirst = type.convert(other), let newSecond = otherType.convert(one)
                {
                    repairs.append(
                        Repair(
                            .movedField, first.rawValue, "\(first.rawValue) and \(second.rawValue) were exchanged",
                            with(first, newFirst).with(second, newSecond)))
                }
            }
        }
        return repairs
    }
}
