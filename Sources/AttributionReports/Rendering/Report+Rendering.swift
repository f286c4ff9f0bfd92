import Attribution
import StrictJSON

extension Report: RenderedReport {
    package func write(as format: ReportFormat, style: TextStyle, to output: (String) -> Void) {
        switch format {
        case .table: writeTable(style, to: output)
        case .csv: writeCSV(to: output)
        case .json: output(json.pretty + "\n")
        case .ndjson: writeNDJSON(to: output)
        case .markdown: writeMarkdown(to: output)
        }
    }
}
