import Attribution
import AttributionStore
import Foundation
package import StrictJSON

extension Report {
    /// The name and version of the format, raised if the meaning of a column or key changes.
    package static let schema = "skan.report/2"

    /// The report as one JSON object.
    package var json: JSONText {
        .object(
            scope + [
                ("rows", .array(rows.map { .object(members($0)) })),
                ("rows-left-out", .integer(Int64(omittedRows))),
                ("totals", .object(members(totals))),
                ("deliveries", showsDeliveries ? deliveries.json : .null),
            ])
    }

    /// Writes the report as one object per line.
    func writeNDJSON(to output: (String) -> Void) {
        func line(_ type: String, _ members: [(String, JSONText)]) -> String {
            JSONText.object([("type", .string(type))] + members).line + "\n"
        }
        output(line("report", scope))
        // In every row, so that test traffic is not mistaken for real installs by a reader of rows only.
        let provenance = ("provenance", JSONText.string(request.traffic.rawValue))
        for row in rows {
            output(line("row", [provenance] + members(row)))
        }
        output(line("totals", [provenance, ("rows-left-out", .integer(Int64(omittedRows)))] + members(totals)))
        if showsDeliveries {
            output(line("deliveries", deliveries.members))
        }
    }

    /// The members that describe the request and the store.
    private var scope: [(String, JSONText)] {
        [
            ("schema", .string(Self.schema)),
            ("skan-version", programVersion.map(JSONText.string) ?? .null),
        ] + request.members + [
            ("as-of", position.map { .string($0.description) } ?? .null),
            ("recorded-at", recordedAtMilliseconds.map { .string(Moment(milliseconds: $0).text) } ?? .null),
            ("warnings", .array(warnings.map(JSONText.string))),
            ("unproven", .array(unprovenNames.map(JSONText.string))),
            ("unseen", .array(unseen.map(\.json))),
        ]
    }

    private func members(_ row: LedgerRow) -> [(String, JSONText)] {
        zip(request.dimensions, row.values).map { ($0.rawValue, .value($1)) } + members(row.counts)
    }

    private func members(_ counts: Counts) -> [(String, JSONText)] {
        columns.map { ($0.name, $0.value(counts).json) }
    }

    /// The dimensions and columns of this report that depend on fields Apple does not sign.
    private var unprovenNames: [String] {
        unprovenDimensions + columns.filter { !$0.isProven(in: totals) }.map(\.name)
    }
}
