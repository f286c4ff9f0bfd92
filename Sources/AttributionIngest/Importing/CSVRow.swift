/// The cells of one row, RFC 4180.
struct CSVRow: Sendable {
    let cells: [String]

    /// Takes a row apart.
    ///
    /// - Parameters:
    ///   - bytes: The row without its end.
    ///   - separator: What is between cells.
    init(_ bytes: [UInt8], separator: UInt8) {
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") {
                if isQuoted, index < bytes.count, bytes[index] == byte {
                    cell.append(byte)
                    index += 1
                } else {
                    isQuoted.toggle()
                }
            } else if byte == separator, !isQuoted {
                cells.append(String(decoding: cell, as: UTF8.self))
                cell.removeAll(keepingCapacity: true)
            } else {
                cell.append(byte)
            }
        }
        cells.append(String(decoding: cell, as: UTF8.self))
        self.cells = cells
    }

    /// What a header has between its cells: the most frequent of comma, semicolon and tab.
    static func separator(of header: [UInt8]) -> UInt8 {
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let counts = candidates.map { candidate in header.count { $0 == candidate } }
        let most = counts.max() ?? 0
        return candidates[counts.firstIndex(of: most) ?? 0]
    }
}

/// The header of a file, by which its columns are found.
struct CSVHeader: Sendable {
    let separator: UInt8
    /// Without regard to letter case, and with `-` for `_`.
    let names: [String]

    init(_ bytes: [UInt8]) {
        separator = CSVRow.separator(of: bytes)
        names = CSVRow(bytes, separator: separator).cells.map(ImportOptions.normalized)
    }

    /// The first column that has one of the names, in the order of the names.
    func column(_ wanted: [String]) -> Int? {
        for name in wanted {
            if let index = names.firstIndex(of: name) {
                return index
            }
        }
        return nil
    }
}
