import ArgumentParser
import AttributionReports

/// How a report is written as CSV.
struct CSVOptions: ParsableArguments {
    @Flag(help: "Begin csv with a byte order mark, so that Excel reads it as UTF-8.")
    var bom = false

    @Option(help: "What is between the cells of csv: a comma (default), ';' or tab.")
    var delimiter: CSVStyle.Delimiter?

    @Option(help: "The decimal mark of figures in csv: a point (default) or ','.")
    var decimal: CSVStyle.DecimalMark?

    /// The style; refuses options that would be ignored.
    func style(for format: ReportFormat) throws -> CSVStyle {
        let given = [(bom, "--bom"), (delimiter != nil, "--delimiter"), (decimal != nil, "--decimal")]
        if format != .csv, let option = given.first(where: \.0)?.1 {
            throw ValidationError("\(option) is for --format csv")
        }
        guard let style = CSVStyle(delimiter: delimiter, decimalMark: decimal, hasByteOrderMark: bom) else {
            throw ValidationError(
                "--decimal: found a comma, which is also the delimiter, expected another one: --delimiter ';'")
        }
        return style
    }
}

extension CSVStyle.Delimiter: ExpressibleByArgument {}
extension CSVStyle.DecimalMark: ExpressibleByArgument {}
