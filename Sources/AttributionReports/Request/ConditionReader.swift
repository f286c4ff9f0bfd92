import Attribution
import AttributionStore
import StrictJSON

/// Parses filters into conditions: values of the same dimension are alternatives, and contradictions are refused.
enum ConditionReader {
    /// Parses filters, `DIMENSION=VALUE` or `DIMENSION!=VALUE`.
    static func conditions(_ filters: [String]) throws(FieldProblem) -> [LedgerQuestion.Condition] {
        var conditions: [LedgerQuestion.Condition] = []
        for text in filters {
            let filter = try filter(text)
            let index = conditions.firstIndex {
                $0.dimension == filter.dimension && $0.isExcluded == filter.isExcluded
            }
            if let index {
                let values = conditions[index].values.union(filter.values)
                conditions[index] = LedgerQuestion.Condition(
                    dimension: filter.dimension, values: values, isExcluded: filter.isExcluded)
            } else {
                conditions.append(filter)
            }
        }
        for wanted in conditions where !wanted.isExcluded {
            let excluded = conditions.first { $0.isExcluded && $0.dimension == wanted.dimension }
            if let value = excluded?.values.intersection(wanted.values).min() {
                let name = wanted.dimension.rawValue
                throw FieldProblem(
                    field: "where", found: "\(name)=\(value) and \(name)!=\(value)", expected: "one of them")
            }
        }
        return conditions
    }

    private static func filter(_ text: String) throws(FieldProblem) -> LedgerQuestion.Condition {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw FieldProblem(
                field: "where", found: text.shortened(to: 40),
                expected: "DIMENSION=VALUE or DIMENSION!=VALUE, for example app=525463029")
        }
        let isExcluded = parts[0].hasSuffix("!")
        let (name, value) = (String(isExcluded ? parts[0].dropLast() : parts[0]), String(parts[1]))
        if name == "campaign" || name == "source" {
            let names = name == "campaign" ? "campaign-id or source-identifier" : "source-app or source-domain"
            throw FieldProblem(field: "where", found: name, expected: "\(names); only by accepts \(name)")
        }
        let dimension = try ReportDimension.reading(name, field: "where")
        guard !dimension.isTime else {
            throw FieldProblem(
                field: "where", found: name, expected: "another dimension; period, from and to choose the days")
        }
        if let expected = dimension.problem(with: value) {
            throw FieldProblem(
                field: "where", found: text.shortened(to: 60),
                expected: "\(name) to be \(expected)"
                    + (value.contains(",") ? "; for several values repeat it: where \(name)=… where \(name)=…" : ""))
        }
        return LedgerQuestion.Condition(dimension: dimension, values: [value], isExcluded: isExcluded)
    }
}

extension ReportDimension {
    /// What is expected instead of a value that no postback can have; nil for a possible value.
    func problem(with value: String) -> String? {
        guard !value.isEmpty else {
            return emptyProblem
        }
        let isPossible: Bool =
            switch self {
            case .framework: PostbackFramework(rawValue: value) != nil
            case .app, .campaignID, .sourceApp, .fidelity: Int64(value).map { String($0) == value } ?? false
            case .sourceIdentifier: SourceIdentifier(value) != nil
            case .network: AdNetworkID(value) != nil
            case .sourceDomain: SourceDomain(value) != nil
            case .impressionType: ImpressionType(value) != nil
            case .marketplace: MarketplaceIdentifier(value) != nil
            case .version: SKAdNetworkVersion(rawValue: value) != nil
            case .redownload: value == "true" || value == "false"
            case .sequenceIndex: ["0", "1", "2"].contains(value)
            case .conversionType: ConversionType(rawValue: value) != nil
            case .country: value == CountryCode.invalid.text || CountryCode(value) != nil
            case .interactionType: AdInteractionType(rawValue: value) != nil
            case .conversionValue: Conversion(value) != nil
            case .recipient: Delivery.Recipient(rawValue: value) != nil
            case .hour, .day, .week, .month, .installDays, .installDayEstimate: true
            }
        return isPossible ? nil : expectedValue + knownValues.suggestion(for: value)
    }

    /// What is expected instead of the empty value; nil if postbacks may lack a value.
    private var emptyProblem: String? {
        switch self {
        case .framework, .network, .app, .recipient: "a value, because every postback has one"
        case .conversionValue: "absent, null or another value, because every postback has one"
        default: nil
        }
    }

    /// All values of a closed set; empty for other dimensions.
    private var knownValues: [String] {
        switch self {
        case .framework: PostbackFramework.allCases.map(\.rawValue)
        case .version: SKAdNetworkVersion.allCases.map(\.rawValue)
        case .redownload: ["true", "false"]
        case .sequenceIndex: ["0", "1", "2"]
        case .conversionType: ConversionType.allCases.map(\.rawValue)
        case .interactionType: AdInteractionType.allCases.map(\.rawValue)
        case .conversionValue: ["absent", "null", "invalid", "low", "medium", "high"]
        case .recipient: Delivery.Recipient.allCases.map(\.rawValue)
        default: []
        }
    }

    private var expectedValue: String {
        switch self {
        case .app, .sourceApp: "an App Store id, a number such as 525463029"
        case .campaignID: "a number, such as 42"
        case .fidelity: "a number, 0 or 1"
        case .sourceIdentifier: "one to four digits, such as 5239 or 39"
        case .country: "two capital letters, such as DE, or invalid"
        case .conversionValue: "0 to 63, low, medium, high, absent, null or invalid"
        case .network, .sourceDomain, .impressionType, .marketplace: "a text without control characters"
        default: "one of " + knownValues.joined(separator: ", ")
        }
    }
}
