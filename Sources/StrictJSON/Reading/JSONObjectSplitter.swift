/// Cuts a stream of bytes into single objects: one pretty-printed object, several, or one a line (NDJSON).
///
/// When the first line is a whole object, or the second begins a new one, every line is a record of its own, so that
/// a broken line spoils only itself. Otherwise objects are cut where their braces balance. It looks at every byte a
/// bounded number of times, and holds about a megabyte at most, whatever the stream is.
package struct JSONObjectSplitter: Sendable {
    /// A piece of the stream, without surrounding white space.
    package struct Record: Hashable, Sendable {
        /// Its bytes, the first ``JSONObjectSplitter/longestRecord`` of them.
        package let bytes: [UInt8]
        /// How many bytes it has in the stream.
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

    /// The most bytes that are kept of one record; a postback has about 500.
    package static let longestRecord = 64 << 10

    private enum Mode {
        case undecided
        case lines
        case objects
    }

    /// How many bytes are held to tell lines from objects.
    private static let lookahead = 1 << 20

    /// Whether the elements of an array are records, not the array itself.
    private let entersArrays: Bool
    private var mode = Mode.undecided
    private var isAtEnd = false
    /// Bytes of the stream, of which those before `start` are done with.
    private var pending: [UInt8] = []
    private var start = 0
    /// How far the end of the first line was looked for, while the mode is undecided.
    private var searched = 0
    /// How far the beginning of the second was looked for.
    private var blank = 0
    /// The record that has begun.
    private var partial: [UInt8] = []
    private var partialCount = 0
    private var scan: RecordScan?
    private var isInsideArray = false

    /// Makes a splitter for one stream.
    ///
    /// - Parameter entersArrays: Whether the elements of an array are records, not the array itself.
    package init(entersArrays: Bool = false) {
        self.entersArrays = entersArrays
    }

    /// Takes the next bytes of the stream.
    ///
    /// - Parameter bytes: Any number of bytes.
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

    /// The next record that is complete; what cannot be an object is a record too, for the reader to refuse.
    ///
    /// - Returns: The record, nil when more bytes are needed or the stream is at its end.
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

    /// Tells lines from objects, as soon as the first line and the beginning of the second are there.
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
        let isOneALine = isWhole || first.first != UInt8(ascii: "{") || second == UInt8(ascii: "{")
        mode = isOneALine ? .lines : .objects
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

    /// Finds where the next record begins, and what it is.
    ///
    /// - Returns: Whether there is one.
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
        let room = Self.longestRecord - partial.count
        partial.append(contentsOf: pending[start..<min(end, start + room)])
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

    /// Without white space at the end; there is none at the beginning of a record.
    private static func trimmed(_ slice: ArraySlice<UInt8>) -> [UInt8] {
        Array(slice[..<(slice.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? slice.startIndex)])
    }
}
