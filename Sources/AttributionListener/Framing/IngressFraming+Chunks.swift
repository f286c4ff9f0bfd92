/// Reading chunked bodies and their trailers.
///
/// - SeeAlso: [RFC 9112, section 7.1](https://www.rfc-editor.org/rfc/rfc9112#section-7.1)
extension IngressFraming {
    /// Reads chunks until data, the trailer or the end of the bytes.
    mutating func readChunks(
        _ bytes: UnsafeRawBufferPointer,
        _ consumed: inout Int,
        from chunk: IngressChunk
    ) throws(IngressRefusal) -> Event {
        var chunk = chunk
        defer { if case .chunk = phase { phase = .chunk(chunk) } }
        while consumed < bytes.count {
            if case .data(let remaining) = chunk {
                let count = Int(min(remaining, UInt64(bytes.count - consumed)))
                consumed += count
                chunk = remaining == UInt64(count) ? .dataEnd : .data(remaining - UInt64(count))
                return .body(count)
            }
            let start = consumed
            if let (next, end) = Self.skipLine(chunk, bytes, consumed) {
                (chunk, consumed) = (next, end)
            } else {
                chunk = try Self.advance(chunk, bytes[consumed])
                consumed += 1
            }
            chunkFramingBytes += consumed - start
            guard chunkFramingBytes <= limits.chunkFramingBytes else { throw tooLarge() }
            if case .data(let size) = chunk {
                guard size <= limits.bodyBytes else { throw tooLarge() }
                if size == 0 {
                    phase = .trailers
                    return try step(bytes, &consumed)
                }
            }
        }
        return .unfinished
    }

    /// A request with an earlier fault is refused because of that one.
    private func tooLarge() -> IngressRefusal {
        head?.refusal ?? .bodyTooLarge(limit: limits.bodyBytes)
    }

    /// Skips a whole line of the common kind: a size without extensions, or the end of data.
    ///
    /// Chunks may be as short as one byte; byte by byte their framing would cost many times what a body does.
    ///
    /// - Returns: The next state and its index; `nil` for any other line, an incomplete one, and an empty chunk.
    @inline(__always)
    private static func skipLine(
        _ chunk: IngressChunk,
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int
    ) -> (IngressChunk, Int)? {
        var index = start
        var size: UInt64 = 0
        switch chunk {
        case .dataEnd:
            break
        case .start:
            while index < bytes.count, index < start + 8, let digit = hexadecimalValue(bytes[index]) {
                size = size << 4 | digit
                index += 1
            }
            guard size > 0 else { return nil }
        default:
            return nil
        }
        guard index + 1 < bytes.count, bytes[index] == IngressByte.carriageReturn,
            bytes[index + 1] == IngressByte.lineFeed
        else { return nil }
        return (size > 0 ? .data(size) : .start, index + 2)
    }

    private static func advance(_ chunk: IngressChunk, _ byte: UInt8) throws(IngressRefusal) -> IngressChunk {
        switch (chunk, byte) {
        case (.start, _):
            guard let digit = hexadecimalValue(byte) else { throw .malformed(.chunkSize) }
            return .size(digit)
        case (.size(let size), IngressByte.carriageReturn), (.extensionText(let size, _), IngressByte.carriageReturn):
            return .sizeEnd(size)
        case (.size(let size), UInt8(ascii: ";")), (.extensionText(let size, _), UInt8(ascii: ";")):
            return .extensionStart(size, isValue: false)
        case (.size(let size), _):
            guard let digit = hexadecimalValue(byte), size >> 60 == 0 else { throw .malformed(.chunkSize) }
            return .size(size << 4 | digit)
        case (.extensionText(let size, isValue: false), UInt8(ascii: "=")):
            return .extensionStart(size, isValue: true)
        case (.extensionStart(let size, let isValue), _), (.extensionText(let size, let isValue), _):
            guard IngressByte.isToken(byte) else { throw .malformed(.chunkExtension) }
            return .extensionText(size, isValue: isValue)
        case (.sizeEnd(let size), IngressByte.lineFeed):
            return .data(size)
        case (.dataEnd, IngressByte.carriageReturn):
            return .dataLineFeed
        case (.dataLineFeed, IngressByte.lineFeed):
            return .start
        case (.sizeEnd, _):
            throw .malformed(.lineEnd)
        case (.dataEnd, _), (.dataLineFeed, _), (.data, _):
            throw .malformed(.chunkEnd)
        }
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
    ///
    /// - Returns: Whether they are complete.
    mutating func readTrailers(
        _ bytes: UnsafeRawBufferPointer,
        _ consumed: inout Int
    ) throws(IngressRefusal) -> Bool {
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
