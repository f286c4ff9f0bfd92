/// The header of a file of CSV (RFC 4180), by which columns are found.
package struct CSVHeader: Sendable {
    /// What is between cells: the most frequent of comma, semicolon and tab.
    package let separator: UInt8
    /// Without regard to letter case, and with `-` for `_`.
    package let names: [String]
    /// As they are in the file.
    package let writtenNames: [String]

    package init(_ bytes: [UInt8]) {
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let counts = candidates.map { candidate in bytes.count { $0 == candidate } }
        separator = candidates[counts.firstIndex(of: counts.max() ?? 0) ?? 0]
        writtenNames = Self.cells(of: bytes, separator: separator)
        names = writtenNames.map { Self.normalized($0) }
    }

    /// The cells of a row without its end.
    package static func cells(of bytes: [UInt8], separator: UInt8) -> [String] {
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
        return cells + [String(decoding: cell, as: UTF8.self)]
    }

    /// A name without regard to letter case, spaces around it, and `_` for `-`.
    package static func normalized(_ name: some StringProtocol) -> String {
        // By bytes: a file of a million records has ten million names.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        for byte in name.utf8 where byte != UInt8(ascii: " ") {
            switch byte {
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "-"))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
