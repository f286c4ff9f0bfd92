/// Aligned columns of text, header first, for a terminal.
struct Columns {
    private let rows: [[String]]
    private let trailing: Set<Int>

    /// Makes columns from rows of equal length, some of them right-aligned.
    init(_ rows: [[String]], trailing: Set<Int> = []) {
        self.rows = rows
        self.trailing = trailing
    }

    /// The lines, each ending in a newline.
    var text: String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return trailing.contains(column) ? space + cell : cell + space
            }
            var line = cells.joined(separator: "  ")[...]
            while line.last == " " {
                line.removeLast()
            }
            return line + "\n"
        }.joined()
    }
}
