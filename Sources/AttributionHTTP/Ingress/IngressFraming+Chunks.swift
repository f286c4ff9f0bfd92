/// From chunks to a body, and the trailer behind them.
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
            chunk = try Self.advance(chunk, bytes[consumed])
            consumed += 1
            // A chunked body may cost only so much in framing.
            guard consumedBytes + consumed <= limits.wireBytes else {
                throw .bodyTooLarge(limit: limits.bodyBytes)
            }
            if case .data(0) = chunk {
                phase = .trailers
                return try step(bytes, &consumed)
            }
        }
        return .unfinished
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

    /// Reads the fields behind the last chunk, which are checked and otherwise ignored.
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
