/// Cuts a stream of bytes into lines, or into rows of CSV whose quoted cells may hold ends of lines.
///
/// It holds little more than one line, whatever the stream is: of a line that is too long the beginning is kept, and a
/// row whose quotes never end is ended at its first line.
struct LineSplitter: RecordSplitter {
    private let hasQuotes: Bool
    private var pending: [UInt8] = []
    private var start = 0
    private var searched = 0
    private var isQuoted = false
    private var isAtEnd = false
    /// Whether the rest of a line that was too long is passed over.
    private var isDropping = false
    /// The line on which the next record begins.
    private var line = 1

    init(hasQuotes: Bool) {
        self.hasQuotes = hasQuotes
    }

    mutating func append(_ bytes: [UInt8]) {
        pending.removeSubrange(..<start)
        searched -= start
        start = 0
        pending += bytes
    }

    mutating func finish() {
        isAtEnd = true
    }

    /// The next line that is not blank; nil when more bytes are needed, or at the end.
    mutating func next() -> RawRecord? {
        while true {
            guard let end = findEnd() else {
                if isDropping {
                    start = pending.count
                    searched = start
                } else if pending.count - start > RawRecord.longest {
                    return takeLong()
                } else if isAtEnd, start < pending.count {
                    let record = take(upTo: pending.count, isWhole: false)
                    start = pending.count
                    searched = start
                    if !record.isBlank {
                        return record
                    }
                }
                return nil
            }
            guard !isDropping else {
                isDropping = false
                line += 1
                skip(to: end + 1)
                continue
            }
            let record = take(upTo: end, isWhole: true)
            line += 1 + (hasQuotes ? pending[start..<end].count { $0 == 0x0A } : 0)
            skip(to: end + 1)
            if !record.isBlank {
                return record
            }
        }
    }

    private mutating func skip(to offset: Int) {
        start = offset
        searched = offset
        isQuoted = false
    }

    /// Ends a record that is too long: a row at its first line, and a line where it is cut.
    private mutating func takeLong() -> RawRecord {
        if hasQuotes, let end = pending[start..<(start + RawRecord.longest)].firstIndex(of: 0x0A) {
            let record = record(start..<end, isCut: true)
            line += 1
            skip(to: end + 1)
            return record
        }
        let record = record(start..<(start + RawRecord.longest), isCut: true)
        isDropping = true
        skip(to: pending.count)
        return record
    }

    private func take(upTo end: Int, isWhole: Bool) -> RawRecord {
        let last = pending[start..<end].lastIndex { $0 != 0x0D }.map { $0 + 1 } ?? start
        let isCut = last - start > RawRecord.longest
        return record(start..<min(last, start + RawRecord.longest), isCut: isCut, isUnfinished: !isWhole)
    }

    private func record(_ range: Range<Int>, isCut: Bool, isUnfinished: Bool = false) -> RawRecord {
        let bytes = Array(pending[range])
        return RawRecord(
            number: line, bytes: bytes, isCut: isCut, isUnfinished: isUnfinished,
            problem: hasQuotes && bytes.hasBareReturn ? .bareReturn : nil)
    }

    private mutating func findEnd() -> Int? {
        let (from, togglesQuotes) = (searched, hasQuotes && !isDropping)
        var isQuoted = isQuoted
        let end = pending.withUnsafeBufferPointer { bytes in
            (from..<bytes.count).first { index in
                isQuoted = isQuoted != (togglesQuotes && bytes[index] == UInt8(ascii: "\""))
                return bytes[index] == 0x0A && !isQuoted
            }
        }
        self.isQuoted = isQuoted
        searched = end ?? pending.count
        return end
    }
}

extension [UInt8] {
    /// Whether a row has a carriage return outside quotes: it may be several rows, or the whole file.
    fileprivate var hasBareReturn: Bool {
        guard contains(0x0D) else {
            return false
        }
        var isQuoted = false
        for byte in self {
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == 0x0D, !isQuoted {
                return true
            }
        }
        return false
    }
}

extension RawRecord {
    fileprivate var isBlank: Bool {
        bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
