package import StrictJSON

extension ReportDimension {
    /// The dimensions whose values are an open set of Apple's: new ones are counted as they are, and pointed out.
    package static let open: [ReportDimension] = [.fidelity, .impressionType, .interactionType]

    /// Apple's field of an open dimension, and its values that this release knows; nil for others.
    fileprivate var openField: (field: PostbackField, known: [String])? {
        switch self {
        case .fidelity: (.fidelityType, ["0", "1"])
        case .impressionType: (.impressionType, [ImpressionTypeKind.app])
        case .interactionType: (.adInteractionType, [AdInteractionType.click, .view].map(\.rawValue))
        default: nil
        }
    }

    /// Apple's field, if this release does not know a value of it; nil for any other value.
    package func field(unknown value: String) -> PostbackField? {
        openField.flatMap { value.isEmpty || $0.known.contains(value) ? nil : $0.field }
    }
}

extension ReceivedPostback {
    /// The values, as received, that cost the postback nothing, but that a person should know of.
    package var flaggedValues: [FieldProblem] {
        var flagged: [(field: PostbackField, expected: String)] = ReportDimension.open.compactMap { dimension in
            dimension.field(unknown: dimension.value(of: self)).map {
                ($0, dimension.openField?.known.joined(separator: " or ") ?? "")
            }
        }
        if case .adAttributionKit(let postback) = self,
            postback.payload[PostbackField.conversionType.rawValue]
                == .string(ConversionType.unhyphenatedReengagement)
        {
            flagged.append((.conversionType, ConversionType.reengagement.rawValue + ", as which it is counted"))
        }
        if ReportDimension.country.value(of: self) == CountryCode.invalid.text {
            flagged.append((.countryCode, "two capital letters, such as DE"))
        }
        return flagged.map { field, expected in
            FieldProblem(
                field: field.rawValue, found: value(of: field)?.summary ?? "nothing", expected: expected)
        }
    }

    /// The value of a field where it is read from: of AdAttributionKit, only two of these are not in the payload.
    private func value(of field: PostbackField) -> JSONValue? {
        switch self {
        case .skAdNetwork(let postback): postback.object[field.rawValue]
        case .adAttributionKit(let postback):
            ([.countryCode, .adInteractionType].contains(field) ? postback.object : postback.payload)[field.rawValue]
        }
    }
}
