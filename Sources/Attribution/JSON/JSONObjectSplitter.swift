/// Cuts a file of postbacks into single objects: one pretty-printed object, several, or one a line (NDJSON).
///
/// When the first line is a whole object, or the second begins a new one, every line is a record of its own, so that
/// a broken line spoils only itself. Otherwise objects are cut where their braces balance.
public struct JSONObjectSplitter: Sendable {
    /// Makes a splitter.
    public init() {}

    /// The records in order, each as its bytes without surrounding white space.
    ///
    /// - Parameter bytes: The file as read.
    /// - Returns: The records; what cannot be an object is returned as it stands, for the reader to refuse.
    public func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.trimmed)
        guard lines.count > 1 else {
            return splitByBraces(bytes)
        }
        let isOneALine =
            Self.endOfObject(in: lines[0]) == lines[0].endIndex
            || lines[0].first != UInt8(ascii: "{")
            || lines[1].first == UInt8(ascii: "{")
        return isOneALine ? lines : splitByBraces(bytes)
    }

    private func splitByBraces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var records: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let trimmed = Self.trimmed(rest) {
            guard let end = Self.endOfObject(in: trimmed) else {
                records.append(trimmed)
                break
            }
            records.append(trimmed[..<end])
            rest = trimmed[end...]
        }
        return records
    }

    /// The index behind the brace that closes the object the slice begins with, or nil when there is none.
    private static func endOfObject(in slice: ArraySlice<UInt8>) -> Int? {
        guard slice.first == UInt8(ascii: "{") else {
            return nil
        }
        var depth = 0
        var isInString = false
        var isEscaped = false
        for index in slice.indices {
            let byte = slice[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 {
                    return index + 1
                }
            default: break
            }
        }
        return nil
    }

    private static func trimmed(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard let start = slice.firstIndex(where: { !isSpace($0) }),
            let end = slice.lastIndex(where: { !isSpace($0) })
        else {
            return nil
        }
        return slice[start...end]
    }
}
