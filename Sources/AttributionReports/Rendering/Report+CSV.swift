import Attribution
import AttributionStore
import Foundation

extension Report {
    /// The rows with a header line, RFC 4180; every cell holds one value.
    func writeCSV(to output: (String) -> Void) {
        func line(_ cells: [String]) -> String {
            cells.map(\.csvCell).joined(separator: ",") + "\r\n"
        }
        let columns = singleColumns
        output(line(request.dimensions.map(\.rawValue) + columns.map(\.name)))
        for row in rows {
            output(line(row.values + columns.map { $0.value(row.counts).text }))
        }
    }
}
