import StrictJSON

extension StandardReport {
    /// Writes the report in pieces, so that a large one need not fit in memory.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - style: The width and characters of tables.
    ///   - output: Called with each piece; the last ends with a newline.
    package func write(as format: StandardReportFormat, style: TextStyle = .document, to output: (String) -> Void) {
        switch format {
        case .table: writeTable(style, to: output)
        case .csv: writeCSV(to: output)
        case .json: output(json.pretty + "\n")
        case .ndjson: writeNDJSON(to: output)
        case .markdown: writeMarkdown(to: output)
        case .html: writeHTML(to: output)
        }
    }

    /// The report as text, ending with a newline.
    package func rendered(as format: StandardReportFormat, style: TextStyle = .document) -> String {
        var text = ""
        write(as: format, style: style) { text += $0 }
        return text
    }
}
