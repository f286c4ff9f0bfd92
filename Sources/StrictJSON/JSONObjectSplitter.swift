/// Splits a byte stream into objects: one pretty-printed object, several, or one per line (NDJSON).
///
/// If the first line is a whole object or the second begins a new one, every line is a record, so that a broken line
/// affects no other. Otherwise objects end where their braces balance. Time is linear in the length of the stream, and
/// memory is limited to about a megabyte.
package struct JSONObjectSplitter: Sendable {
    /// A piece of the stream, without surrounding white space.
    package struct Record: Hashable, Sendable {
        /// Its bytes, at most the first ``JSONObjectSplitter/longestRecord``.
        package let bytes: [UInt8]
        /// Its length in the stream, in bytes.
        package let count: Int

        /// Takes a whole record.
        package init(bytes: [UInt8]) {
            self.init(bytes: bytes, count: bytes.count)
        }

        init(bytes: [UInt8], count: Int) {
            self.bytes = bytes
            self.count = count
        }
    }

    /// How many bytes of a record are kept at most; a postback has about 500.
    package static let longestRecord = 64 << 10

    private enum Mode {
        case undecided
        case lines
        case objects
    }

    /// How many bytes are buffered to tell lines from objects.
    private static let lookahead = 1 << 20

    /// Whether the elements of an array are records, not the array itself.
    private let entersArrays: Bool
    private var mode = Mode.undecided
    private var isAtEnd = false
    /// Buffered bytes of the stream; those before `start` are consumed.
    private var pending: [UInt8] = []
    private var start = 0
    /// Where to resume the search for the end of the first line, while the mode is undecided.
    private var searched = 0
    /// Where to resume the search for the beginning of the second line.
    private var blank = 0
    /// The record being assembled.
    private var partial: [UInt8] = []
    private var partialCount = 0
    private var scan: RecordScan?
    /// Whether the last record is followed by no end of its array, as far as the stream was read.
    package private(set) var isInsideArray = false

    package init(entersArrays: Bool = false) {
        self.entersArrays = entersArrays
    }

    /// Appends the next bytes of the stream.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        pending.removeSubrange(..<start)
        searched = max(0, searched - start)
        blank = max(0, blank - start)
        start = 0
        pending.append(contentsOf: bytes)
    }

    /// Ends the stream.
    package mutating func finish() {
        isAtEnd = true
    }

    /// Returns the next complete record, or nil if more bytes are needed or the stream has ended.
    ///
    /// Anything that is not an object is a record too, left for the reader to refuse.
    package mutating func next() -> Record? {
        if mode == .undecided {
            decide()
        }
        switch mode {
        case .undecided: return nil
        case .lines: return nextLine()
        case .objects: return nextObject()
        }
    }

    // MARK: Lines or objects

    /// Tells lines from objects, once the first line and the beginning of the second have arrived.
    private mutating func decide() {
        if searched <= start {
            skipWhiteSpace()
            searched = start
        }
        guard start < pending.count else {
            return
        }
        if entersArrays, pending[start] == UInt8(ascii: "[") {
            mode = .objects
            return
        }
        guard let end = pending[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = pending.count
            if isAtEnd || pending.count - start > Self.lookahead {
                mode = .objects
            }
            return
        }
        searched = end
        guard let beginning = pending[max(end, blank)...].firstIndex(where: { !Self.isSpace($0) }) else {
            blank = pending.count
            if isAtEnd || pending.count - start > Self.lookahead {
                mode = .objects
            }
            return
        }
        let second = pending[beginning]
        let first = Self.trimmed(pending[start..<end])
        var scan = RecordScan(of: UInt8(ascii: "{"), isElement: false)
        let isWhole =
            first.first == UInt8(ascii: "{")
            && first.withUnsafeBufferPointer { scan.end(in: $0, from: 0) == $0.count }
        let isOnePerLine = isWhole || first.first != UInt8(ascii: "{") || second == UInt8(ascii: "{")
        mode = isOnePerLine ? .lines : .objects
    }

    // MARK: Records

    private mutating func nextLine() -> Record? {
        if partialCount == 0 {
            skipWhiteSpace()
        }
        guard let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            take(upTo: pending.count)
            return isAtEnd ? takeRecord() : nil
        }
        take(upTo: end)
        start = end + 1
        return takeRecord()
    }

    private mutating func nextObject() -> Record? {
        if scan == nil, !beginRecord() {
            return nil
        }
        let end = pending.withUnsafeBufferPointer { scan?.end(in: $0, from: start) }
        take(upTo: end ?? pending.count)
        guard end != nil || isAtEnd else {
            return nil
        }
        scan = nil
        return takeRecord()
    }

    /// Finds the beginning of the next record.
    private mutating func beginRecord() -> Bool {
        while true {
            skipWhiteSpace()
            guard start < pending.count else {
                return false
            }
            let byte = pending[start]
            if entersArrays, !isInsideArray, byte == UInt8(ascii: "[") {
                isInsideArray = true
            } else if isInsideArray, byte == UInt8(ascii: "]") {
                isInsideArray = false
            } else if !isInsideArray || byte != UInt8(ascii: ",") {
                scan = RecordScan(of: byte, isElement: isInsideArray)
                return true
            }
            start += 1
        }
    }

    private mutating func take(upTo end: Int) {
        let capacity = Self.longestRecord - partial.count
        partial.append(contentsOf: pending[start..<min(end, start + capacity)])
        partialCount += end - start
        start = end
    }

    private mutating func takeRecord() -> Record? {
        defer {
            partial = []
            partialCount = 0
        }
        guard partialCount > 0 else {
            return nil
        }
        let bytes = Self.trimmed(partial[...])
        return Record(bytes: bytes, count: partialCount == partial.count ? bytes.count : partialCount)
    }

    // MARK: Bytes

    private mutating func skipWhiteSpace() {
        start = pending[start...].firstIndex { !Self.isSpace($0) } ?? pending.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Removes trailing white space; a record has none at its beginning.
    private static func trimmed(_ slice: ArraySlice<UInt8>) -> [UInt8] {
        Array(slice[..<(slice.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? slice.startIndex)])
    }
}

/// Finds the end of a record that may span lines, resuming where it stopped when more bytes arrive.
package struct RecordScan {
    private enum Kind {
        /// An object or array: ends where its brackets balance.
        case balanced(open: UInt8, close: UInt8)
        /// A string: ends at its quote.
        case string
        /// A number or word among the elements of an array.
        case scalar
        /// Anything else: ends before a line that begins an object.
        case garbage
    }

    private let kind: Kind
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isAfterNewline = false

    package init(of first: UInt8, isElement: Bool) {
        kind =
            switch first {
            case UInt8(ascii: "{"): .balanced(open: first, close: UInt8(ascii: "}"))
            case UInt8(ascii: "[") where isElement: .balanced(open: first, close: UInt8(ascii: "]"))
            case UInt8(ascii: "\"") where isElement: .string
            default: isElement ? .scalar : .garbage
            }
    }

    /// Looks for the end of the record.
    ///
    /// - Returns: The index after its last byte, or nil if it continues after these bytes.
    package mutating func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        switch kind {
        case .balanced(let open, let close): return balancedEnd(open, close, in: bytes, from: start)
        case .string: return balancedEnd(0, 0, in: bytes, from: start)
        case .scalar:
            return bytes[start...].firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "]") }
        case .garbage:
            for index in start..<bytes.count {
                if isAfterNewline, bytes[index] == UInt8(ascii: "{") {
                    return index
                }
                isAfterNewline = bytes[index] == UInt8(ascii: "\n")
            }
            return nil
        }
    }

    private mutating func balancedEnd(
        _ open: UInt8, _ close: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        var index = start
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
                    if depth == 0 {
                        return index
                    }
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == open {
                depth += 1
            } else if byte == close {
                depth -= 1
                if depth == 0 {
                    return index
                }
            }
        }
        return nil
    }
}
