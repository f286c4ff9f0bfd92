import Attribution
import AttributionStore

/// The statement that counts what a question asks for: a row for each combination of codes.
struct QuestionSQL {
    let sql: String
    let parameters: [PostgreSQLParameter]

    init(
        _ question: LedgerQuestion,
        _ conditions: QuestionConditions,
        _ periods: PeriodCodes,
        _ snapshot: LedgerSnapshot,
        upTo last: LedgerSnapshot.OrderedPosition
    ) {
        var parameters: [PostgreSQLParameter] = []
        func number(_ parameter: PostgreSQLParameter) -> String {
            parameters.append(parameter)
            return "$\(parameters.count)"
        }
        var columns: [String] = []
        for dimension in question.dimensions {
            if let table = periods.table(dimension) {
                // Codes of periods by quarters; an index behind the end gives NULL, which no reader takes for a code.
                let codes = number(.smallIntegers(table.codes))
                columns.append("(\(codes)::int4[])[quarter - \(number(.integer(table.firstQuarter)))::int4 + 1]")
            } else if let column = dimension.column {
                columns.append(column)
            }
        }
        columns.append("traits")
        var wanted = ["traffic = \(number(.text(question.traffic.rawValue)))::skan.traffic"]
        if snapshot.newestOrder.map({ $0 >= snapshot.horizon }) ?? false || question.asOf != nil {
            let order = number(.integer(last.commitOrder))
            wanted.append("(commit_order, id) <= (\(order), \(number(.integer(last.position.last))))")
        }
        if let quarters = question.received?.quarters {
            wanted.append("quarter >= \(number(.integer(quarters.lowerBound)))")
            wanted.append("quarter < \(number(.integer(quarters.upperBound)))")
        }
        for condition in conditions.columns {
            let codes = number(.smallIntegers(condition.codes))
            wanted.append(
                condition.isExcluded
                    ? "\(condition.column) <> ALL (\(codes)::int4[])" : "\(condition.column) = ANY (\(codes)::int4[])")
        }
        for condition in conditions.recipients {
            let words = number(.texts(condition.words))
            wanted.append("(recipient::text = ANY (\(words)::text[])) <> \(number(.bool(condition.isExcluded)))")
        }
        let groups = (1...columns.count).map { String($0) }.joined(separator: ", ")
        sql = """
            SELECT \(columns.joined(separator: ", ")), count(*) FROM skan.postback
            WHERE \(wanted.joined(separator: " AND ")) GROUP BY \(groups)
            LIMIT \(number(.integer(Int64(question.limits.cells) + 1)))
            """
        self.parameters = parameters
    }
}

extension ReportDimension {
    /// The column of `skan.postback`; nil for dimensions of time, and for those that follow from the traits.
    var column: String? {
        switch self {
        case .recipient: "recipient::text"
        default: kind?.column
        }
    }

    /// The kind of values that the dimension has codes for; nil for the others.
    var kind: CodedValue.Kind? {
        switch self {
        case .network: .network
        case .app: .app
        case .campaignID: .campaignID
        case .sourceIdentifier: .sourceIdentifier
        case .sourceApp: .sourceApp
        case .sourceDomain: .sourceDomain
        case .country: .country
        case .marketplace: .marketplace
        case .hour, .day, .week, .month, .recipient: nil
        case .framework, .version, .fidelity, .redownload, .sequenceIndex, .conversionType, .interactionType,
            .conversionValue:
            nil
        }
    }
}

extension CodedValue.Kind {
    /// The column of `skan.postback`.
    var column: String {
        switch self {
        case .traits: "traits"
        case .network: "network"
        case .app: "app"
        case .campaignID: "campaign_id"
        case .sourceIdentifier: "source_identifier"
        case .sourceApp: "source_app"
        case .sourceDomain: "source_domain"
        case .country: "country"
        case .marketplace: "marketplace"
        case .keyName: "key_name"
        }
    }
}
