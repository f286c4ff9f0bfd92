import Attribution
import AttributionReports
package import AttributionStore
package import StrictJSON

extension QuarantineQuery {
    /// The parameters that select deliveries.
    static let filters = ["class", "reason", "id", "before"]
    /// The maximum number of deliveries per answer.
    static let answerLimit: Int64 = 1_000

    /// Every reason a delivery can have.
    package static let reasons =
        PostbackRejection.Code.allCases.filter { $0 != .notJSON }.map(\.rawValue) + [Recording.Status.conflict.rawValue]

    /// Reads the query of a listing.
    init(listing parameters: RequestParameters) throws(FieldProblem) {
        try self.init(filters: parameters)
        after = try parameters.integer("after", 0...Int64.max) ?? 0
        limit = Int(try parameters.integer("limit", 1...Self.answerLimit) ?? 100)
    }

    /// Reads the query of a change, which has no default limit.
    init(changing parameters: RequestParameters) throws(FieldProblem) {
        try self.init(filters: parameters)
        limit = Int(try parameters.integer("limit", 1...Int64.max) ?? .max)
    }

    private init(filters parameters: RequestParameters) throws(FieldProblem) {
        self.init(
            kind: try parameters.choice("class", of: QuarantineClass.allCases.map(\.rawValue)).flatMap {
                QuarantineClass(rawValue: $0)
            },
            reason: try parameters.choice("reason", of: Self.reasons),
            id: try parameters.integer("id", 1...Int64.max),
            before: try parameters.moment("before")
        )
    }

    /// Whether it selects anything less than everything.
    package var hasFilter: Bool {
        kind != nil || reason != nil || id != nil || before != nil
    }

    /// The JSON that ``init(changing:)`` reads.
    package var json: JSONText {
        var members: [(String, JSONText)] = []
        if let kind {
            members.append(("class", .string(kind.rawValue)))
        }
        if let reason {
            members.append(("reason", .string(reason)))
        }
        if let id {
            members.append(("id", .integer(id)))
        }
        if let before {
            members.append(("before", .string(Moment(milliseconds: before).text)))
        }
        if limit < .max {
            members.append(("limit", .integer(Int64(limit))))
        }
        return .object(members)
    }
}
