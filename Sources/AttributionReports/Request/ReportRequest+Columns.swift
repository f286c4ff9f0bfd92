import Attribution
import StrictJSON

extension ReportRequest {
    /// Parses a comma-separated list of columns, ignoring duplicates.
    static func columns(_ text: String, _ format: ReportFormat) throws(FieldProblem) -> [ReportColumn] {
        var result: [ReportColumn] = []
        for name in text.split(separator: ",").map(String.init) where !result.contains(where: { $0.name == name }) {
            let column = try column(name, "columns")
            guard !column.isHistogram || format.hasObjects else {
                throw FieldProblem(
                    field: "columns", found: "\(name) with format \(format.rawValue)",
                    expected: "format json or ndjson; in other formats, use by conversion-value for one row per value")
            }
            result.append(column)
        }
        guard !result.isEmpty else {
            throw FieldProblem(field: "columns", found: "nothing", expected: "names, for example installs,null-rate")
        }
        return result
    }

    /// Parses `installs`, `-installs`, `app` or `-app`.
    static func sort(_ text: String, _ dimensions: [ReportDimension]) throws(FieldProblem) -> ReportSort {
        let isDescending = text.hasPrefix("-")
        let name = isDescending ? String(text.dropFirst()) : text
        if let index = dimensions.firstIndex(where: { $0.rawValue == name }) {
            return ReportSort(key: .dimension(index), isDescending: isDescending)
        }
        guard ReportDimension(rawValue: name) == nil else {
            throw FieldProblem(
                field: "sort", found: name, expected: "a figure or a dimension of the rows; add \(name) to by")
        }
        let column = try column(name, "sort", orAlso: dimensions.map(\.rawValue))
        guard !column.isHistogram else {
            throw FieldProblem(field: "sort", found: name, expected: "a single figure, for example conversion-mean")
        }
        return ReportSort(key: .column(column), isDescending: isDescending)
    }

    private static func column(
        _ name: String,
        _ field: String,
        orAlso others: [String] = []
    ) throws(FieldProblem) -> ReportColumn {
        guard let column = ReportColumn.all.first(where: { $0.name == name }) else {
            let known = others + ReportColumn.all.map(\.name)
            throw FieldProblem(
                field: field, found: name.shortened(to: 40),
                expected: "one of \(known.joined(separator: ", "))" + known.suggestion(for: name))
        }
        return column
    }
}
