import StrictJSON

extension StandardReport: RenderedReport {
    package func write(as format: StandardReportFormat, style: TextStyle, to output: (String) -> Void) {
        switch format {
        case .table: writeTable(style, to: output)
        case .csv: writeCSV(to: output)
        case .json: output(json.pretty + "\n")
        case .ndjson: writeNDJSON(to: output)
        case .markdown: writeMarkdown(to: output)
        case .html: writeHTML(to: output)
        }
    }
}
