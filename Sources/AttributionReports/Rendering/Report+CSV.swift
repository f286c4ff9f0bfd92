import Attribution
import AttributionStore
import Foundation

extension Report {
    /// Writes the rows with a header line, RFC 4180.
    func writeCSV(to output: (String) -> Void) {
        let columns = singleColumns
        output((request.dimensions.map(\.rawValue) + columns.map(\.name)).joined(separator: ",") + "\r\n")
        for row in rows {
            // Appended cell by cell, because a report may have a million rows; figures need no quotes.
            var line = ""
            for value in row.values {
                line += value.csvCell
                line += ","
            }
            for column in columns {
                line += column.value(row.counts).text
                line += ","
            }
            _ = line.popLast()
            output(line + "\r\n")
        }
    }
}
