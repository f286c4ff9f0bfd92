import Attribution

/// Tables: our own columns, and those of AppsFlyer's schema.
extension SchemaImport {
    /// The columns, with the names that they may have, the first of which is ours.
    private enum Column: CaseIterable {
        case app, value, coarse, window, index, event, low, high, currency

        var names: [String] {
            switch self {
            case .app: ["app", "app-id"]
            case .value: ["conversion-value"]
            case .coarse: ["coarse-conversion-value"]
            case .window: ["window"]
            case .index: ["postback-sequence-index"]
            case .event: ["event", "event-name"]
            case .low: ["revenue-from", "min-event-revenue"]
            case .high: ["revenue-to", "max-event-revenue"]
            case .currency: ["currency"]
            }
        }

        /// Columns of AppsFlyer's that a schema has no place for: how often, when, and what locks a window.
        static let ignored = [
            "min-event-counter", "max-event-counter", "min-time-post-install", "max-time-post-install",
            "last-config-change", "lock-window-type", "lock-window-time",
        ]
    }

    mutating func readTable(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
        let header = CSVHeader(lines[0])
        guard let columns = columns(header.names) else {
            return
        }
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let cells = CSVHeader.cells(of: line, separator: header.separator)
            guard cells.count == header.names.count else {
                note(
                    Item(path: "line \(index + 1)", text: String(decoding: line, as: UTF8.self)),
                    expected: "\(header.names.count) cells, as the header has",
                    cure: "put a cell that has the delimiter in it in quotes")
                continue
            }
            read { column in
                let cell = columns[column].map { (name: header.names[$0], text: cells[$0]) }
                return Item(
                    path: "line \(index + 1), \(cell?.name ?? column.names[0])",
                    text: cell.flatMap { $0.text.isEmpty ? nil : $0.text })
            } amount: { item in
                // Where a comma is no delimiter, it may be the decimal mark.
                Item(
                    path: item.path,
                    text: header.separator == UInt8(ascii: ",") ? item.text : item.text?.replacing(",", with: "."))
            }
        }
    }

    /// The indices of the columns; nil for a header that is none.
    private mutating func columns(_ header: [String]) -> [Column: Int]? {
        let known = problems.all.count
        var columns: [Column: Int] = [:]
        for (index, name) in header.enumerated() {
            guard let column = Column.allCases.first(where: { $0.names.contains(name) }) else {
                if !Column.ignored.contains(name) {
                    note(
                        Item(path: "line 1, column \(index + 1)", text: name),
                        expected: "one of \(Column.allCases.map { $0.names[0] }.joined(separator: ", "))",
                        cure: "rename the column, or remove it")
                }
                continue
            }
            if columns.updateValue(index, forKey: column) != nil {
                note(
                    Item(path: "line 1, column \(index + 1)", text: name), expected: "each column once",
                    cure: "remove one of the two")
            }
        }
        if columns[.value] == nil, columns[.coarse] == nil {
            note(
                Item(path: "line 1, conversion-value", text: nil), expected: "a column with the values",
                cure: "begin the file with conversion-value,window,event,revenue-from,revenue-to,currency")
        }
        return problems.all.count == known ? columns : nil
    }

    private mutating func read(_ item: (Column) -> Item, amount: (Item) -> Item) {
        let app = app(item(.app))
        let value = value(item)
        let known = problems.all.count
        let revenue = revenue(from: amount(item(.low)), to: amount(item(.high)))
        guard let app, let value, problems.all.count == known else {
            return
        }
        add(event: item(.event).text, revenue: revenue, currency: item(.currency), to: value, of: app)
    }

    private mutating func value(_ item: (Column) -> Item) -> Value? {
        let (given, coarse) = (item(.value), item(.coarse))
        guard given.text == nil || coarse.text == nil else {
            note(coarse, expected: "nothing beside a conversion-value", cure: "write a row for each of the two")
            return nil
        }
        let value = given.text == nil ? coarse : given
        guard let text = value.text else {
            note(given, expected: "0 to 63, low, medium or high", cure: "write the value in every row")
            return nil
        }
        let (first, number) = item(.window).text == nil ? (0, item(.index)) : (1, item(.window))
        let window = number.text.flatMap { Int($0) }.map { $0 - first }
        guard number.text == nil || (0...2).contains(window ?? -1) else {
            note(number, expected: "\(first) to \(first + 2)", cure: "write the number of the window")
            return nil
        }
        if let fine = Int(text), (0...63).contains(fine) {
            guard window ?? 0 == 0 else {
                note(number, expected: "\(first): later windows have coarse values alone", cure: "correct the window")
                return nil
            }
            return .fine(fine)
        }
        guard let coarse = CoarseConversionValue(rawValue: text.lowercased()) else {
            note(value, expected: "0 to 63, low, medium or high", cure: "correct the value")
            return nil
        }
        guard let window else {
            note(item(.window), expected: "1, 2 or 3, because the value is coarse", cure: "write the window")
            return nil
        }
        return .coarse(coarse, window: window)
    }
}
