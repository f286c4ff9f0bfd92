/// Cuts a stream of bytes into single objects: one pretty-printed object, several, or one a line (NDJSON).
///
/// When the first line is a whole object, or the second begins a new one, every line is a record of its own, so that
/// a broken line spoils only itself. Otherwise objects are cut where their braces balance. It holds no more than one
/// record that is not complete yet.
public struct JSONObjectSplitter: Sendable {
    private enum Mode {
        case undecided
        case lines
        case braces
    }

    /// Bytes that are not part of a returned record yet.
    private var pending: [UInt8] = []
    private var mode = Mode.undecided
    private var scan = BraceScan()

    /// The longest run of bytes that may still become a record; longer ones are returned as they are, to be refused.
    private static let longestRecord = 1 << 20

    /// Makes a splitter for one stream.
    public init() {}

    /// Takes the next bytes of the stream.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: The records that are complete now, in order, without surrounding white space; what cannot be an
    ///   object is returned as it stands, for the reader to refuse.
    public mutating func split(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        pending.append(contentsOf: bytes)
        decide(isEnd: false)
        switch mode {
        case .undecided: return []
        case .lines: return takeLines()
        case .braces: return takeObjects()
        }
    }

    /// Ends the stream.
    ///
    /// - Returns: The last records.
    public mutating func finish() -> [[UInt8]] {
        decide(isEnd: true)
        var records: [[UInt8]] = []
        if mode == .lines {
            pending.append(UInt8(ascii: "\n"))
            records = takeLines()
        } else {
            records = takeObjects()
        }
        records += [Self.trimmed(pending[...])].compactMap(\.self)
        self = JSONObjectSplitter()
        return records
    }

    /// Tells lines from objects, as soon as the first line and the beginning of the second are there.
    private mutating func decide(isEnd: Bool) {
        guard mode == .undecided else {
            return
        }
        let lines = pending.split(separator: UInt8(ascii: "\n"), maxSplits: 64).lazy.compactMap(Self.trimmed)
        guard let first = lines.first else {
            return
        }
        guard let second = lines.dropFirst().first else {
            if isEnd || pending.count > Self.longestRecord {
                mode = .braces
            }
            return
        }
        var scan = BraceScan()
        let isWhole = scan.end(in: first, from: 0) == first.count
        let isOneALine =
            isWhole || first.first != UInt8(ascii: "{") || second.first == UInt8(ascii: "{")
        mode = isOneALine ? .lines : .braces
    }

    private mutating func takeLines() -> [[UInt8]] {
        guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else {
            return takeOverlong()
        }
        let records = pending[...end].split(separator: UInt8(ascii: "\n")).compactMap(Self.trimmed)
        pending.removeSubrange(...end)
        return records
    }

    private mutating func takeObjects() -> [[UInt8]] {
        var records: [[UInt8]] = []
        var start = pending.startIndex
        while let begin = pending[start...].firstIndex(where: { !Self.isSpace($0) }) {
            guard pending[begin] == UInt8(ascii: "{") else {
                // No object begins here: the rest cannot be told apart.
                records.append(Array(pending[begin...]))
                start = pending.endIndex
                break
            }
            start = begin
            guard let end = scan.end(in: pending, from: begin) else {
                break
            }
            records.append(Array(pending[begin..<end]))
            scan = BraceScan()
            start = end
        }
        pending.removeSubrange(..<start)
        scan.dropFirst(start)
        return records + takeOverlong()
    }

    private mutating func takeOverlong() -> [[UInt8]] {
        guard pending.count > Self.longestRecord else {
            return []
        }
        defer {
            pending = []
            scan = BraceScan()
        }
        return [pending]
    }

    /// Where the brace stands that closes an object; it goes on where it stopped when more bytes have come.
    private struct BraceScan {
        private var position: Int?
        private var depth = 0
        private var isInString = false
        private var isEscaped = false

        mutating func end(in bytes: [UInt8], from begin: Int) -> Int? {
            var index = position ?? begin
            defer { position = index }
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if isInString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                    }
                } else if byte == UInt8(ascii: "\"") {
                    isInString = true
                } else if byte == UInt8(ascii: "{") {
                    depth += 1
                } else if byte == UInt8(ascii: "}") {
                    depth -= 1
                    if depth == 0 {
                        return index
                    }
                }
            }
            return nil
        }

        /// The bytes before were taken away.
        mutating func dropFirst(_ count: Int) {
            position = position.map { $0 - count }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func trimmed(_ slice: ArraySlice<UInt8>) -> [UInt8]? {
        guard let start = slice.firstIndex(where: { !isSpace($0) }),
            let end = slice.lastIndex(where: { !isSpace($0) })
        else {
            return nil
        }
        return Array(slice[start...end])
    }
}
