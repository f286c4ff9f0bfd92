import Attribution
import StrictJSON

extension Report {
    /// Writes the report, piece by piece: one of many rows need not be in memory as a whole.
    ///
    /// - Parameters:
    ///   - format: What as.
    ///   - style: The width and characters of tables.
    ///   - output: Takes each piece; the last ends in a newline.
    package func write(as format: ReportFormat, style: TextStyle = .document, to output: (String) -> Void) {
        switch format {
        case .table: writeTable(style, to: output)
        case .csv: writeCSV(to: output)
        case .json: output(json.pretty + "\n")
        case .ndjson: writeNDJSON(to: output)
        case .markdown: writeMarkdown(to: output)
        }
    }

    /// The report as text, ending in a newline.
    package func rendered(as format: ReportFormat, style: TextStyle = .document) -> String {
        var text = ""
        write(as: format, style: style) { text += $0 }
        return text
    }
}
