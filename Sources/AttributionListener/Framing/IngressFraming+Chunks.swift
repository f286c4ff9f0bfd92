/// Reading chunked bodies and their trailers.
///
/// - SeeAlso: [RFC 9112, section 7.1](https://www.rfc-editor.org/rfc/rfc9112#section-7.1)
extension IngressFraming {
    /// Reads chunks until data, the trailer or the end of the bytes.
    mutating func readChunks(_ bytes: UnsafeRawBufferPointer, _ consumed: inout Int) throws(IngressRefusal) -> Event {
        while true {
            switch phase {
            case .chunkSize:
                guard let end = try endOfLine(bytes, from: consumed) else {
                    try checkChunkFraming(adding: bytes.count - consumed)
                    return .unfinished
                }
                try checkChunkFraming(adding: end + 2 - consumed)
                chunkFramingBytes += end + 2 - consumed
                let size = try Self.chunkSize(bytes[bytes: consumed..<end])
                consumed = end + 2
                guard size <= limits.bodyBytes else { throw tooLarge() }
                phase = size == 0 ? .trailers : .chunkData(Int(size))
            case .chunkData(let remaining):
                let count = min(remaining, bytes.count - consumed)
                guard count > 0 else { return .unfinished }
                consumed += count
                phase = remaining == count ? .chunkEnd : .chunkData(remaining - count)
                return .body(count)
            case .chunkEnd:
                let end = bytes[bytes: consumed..<min(consumed + 2, bytes.count)]
                guard end.elementsEqual([IngressByte.carriageReturn, IngressByte.lineFeed].prefix(end.count)) else {
                    throw .malformed(.chunkEnd)
                }
                guard end.count == 2 else { return .unfinished }
                consumed += 2
                try checkChunkFraming(adding: 2)
                chunkFramingBytes += 2
                phase = .chunkSize
            default:
                return try step(bytes, &consumed)
            }
        }
    }

    private func checkChunkFraming(adding count: Int) throws(IngressRefusal) {
        guard chunkFramingBytes + count <= limits.chunkFramingBytes else { throw tooLarge() }
    }

    /// A request with an earlier fault is refused because of that one.
    private func tooLarge() -> IngressRefusal {
        head?.refusal ?? .bodyTooLarge(limit: limits.bodyBytes)
    }

    /// Reads the line of a chunk's size, whose extensions are checked and otherwise ignored.
    private static func chunkSize(_ line: UnsafeRawBufferPointer) throws(IngressRefusal) -> UInt64 {
        var size: UInt64 = 0
        var index = 0
        while index < line.count, let digit = hexadecimalValue(line[index]) {
            guard size >> 60 == 0 else { throw .malformed(.chunkSize) }
            size = size << 4 | digit
            index += 1
        }
        guard index > 0 else { throw .malformed(.chunkSize) }
        guard index < line.count else { return size }
        guard line[index] == UInt8(ascii: ";") else {
            throw .malformed(line[index] == IngressByte.carriageReturn ? .lineEnd : .chunkSize)
        }
        for part in line[(index + 1)...].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            let words = part.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard words.count <= 2, words.allSatisfy({ !$0.isEmpty && $0.allSatisfy(IngressByte.isToken) }) else {
                throw .malformed(.chunkExtension)
            }
        }
        return size
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Reads the fields after the last chunk, which are checked and otherwise ignored.
    mutating func readTrailers(_ bytes: UnsafeRawBufferPointer, _ consumed: inout Int) throws(IngressRefusal) -> Bool {
        while let end = try endOfLine(bytes, from: consumed) {
            let line = bytes[bytes: consumed..<end]
            consumed = end + 2
            guard consumedBytes + consumed <= limits.wireBytes else {
                throw .bodyTooLarge(limit: limits.bodyBytes)
            }
            if line.isEmpty { return true }
            let name = line[bytes: 0..<(try checkField(line))]
            guard !name.isField("content-length"), !name.isField("transfer-encoding"), !name.isField("host") else {
                throw .malformed(.trailer)
            }
        }
        guard consumedBytes + bytes.count <= limits.wireBytes else { throw .bodyTooLarge(limit: limits.bodyBytes) }
        return false
    }
}
