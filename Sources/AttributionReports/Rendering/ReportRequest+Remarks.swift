import Attribution
import AttributionStore
import Foundation
import StrictJSON

extension ReportRequest {
    /// Which postbacks, days and filters, in one line.
    func title(_ style: TextStyle) -> String {
        let days =
            switch (from, through) {
            case (nil, nil): "all days"
            case (let from?, nil): "from \(from)"
            case (nil, let through?): "to \(through)"
            case (let from?, let through?): from == through ? "\(from)" : "\(from) to \(through)"
            }
        let filters = conditions.map { condition in
            let values = condition.values.sorted().map { $0.isEmpty ? "none" : style.cell($0, limit: 60) }
            return "\(condition.dimension.rawValue) \(condition.isExcluded ? style.unequal : "=") "
                + values.joined(separator: condition.isExcluded ? ", " : " or ")
        }
        return ([subject, days, "days of \(zoneName)"] + filters).joined(separator: style.separator)
    }

    /// Which postbacks are counted; those that are no real installs are in capitals.
    private var subject: String {
        switch traffic {
        case .apple: "Postbacks verified with Apple's keys"
        case .foreign: "FOREIGN postbacks, verified with Apple's keys for networks that are not ours"
        case .development: "DEVELOPMENT postbacks, verified with Apple's keys for development"
        case .test: "TEST postbacks, verified with test keys only"
        }
    }

    package var zoneName: String {
        timeZone == .gmt ? "UTC" : timeZone.identifier
    }

    /// The members of JSON that repeat the request.
    var members: [(String, JSONText)] {
        [
            ("provenance", .string(traffic.rawValue)),
            ("time-zone", .string(zoneName)),
            ("from", from.map { .string($0.description) } ?? .null),
            ("to", through.map { .string($0.description) } ?? .null),
            ("filters", .array(conditions.map(\.json))),
        ]
    }
}

extension LedgerQuestion.Condition {
    fileprivate var json: JSONText {
        .object([
            "dimension": .string(dimension.rawValue),
            "values": .array(values.sorted().map(JSONText.value)),
            "excluded": .bool(isExcluded),
        ])
    }
}

extension JSONText {
    /// A value of a dimension; null for postbacks without one.
    static func value(_ value: String) -> JSONText {
        value.isEmpty ? .null : .string(value)
    }
}

extension LedgerAnswer.UnseenValue {
    /// That no postback has the value.
    package var sentence: String {
        let name = dimension.rawValue
        guard !value.isEmpty else {
            return "Every postback recorded here has a \(name)."
        }
        let hint =
            dimension == .network && value != value.lowercased()
            ? " Network ids are case-sensitive; registered ones are in lower case." : ""
        return "No postback recorded here has \(name) \(value.shortened(to: 60)).\(hint)"
    }

    var json: JSONText {
        .object(["dimension": .string(dimension.rawValue), "value": .value(value)])
    }
}
