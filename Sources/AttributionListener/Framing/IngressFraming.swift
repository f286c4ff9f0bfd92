/// Splits the bytes of one connection into requests: strict HTTP/1.1, however the bytes are divided into reads.
///
/// It stores no bytes. Each call consumes whole lines and as much of a body as there is, so that only the beginning of
/// an unfinished line is seen twice. Wherever RFC 9112 lets a recipient be lenient (bare line feeds, folded fields,
/// white space before a colon) it refuses: parsers that are lenient in different ways allow request smuggling.
///
/// - SeeAlso: [RFC 9112](https://www.rfc-editor.org/rfc/rfc9112)
package struct IngressFraming {
    /// What a call found.
    package enum Event: Equatable, Sendable {
        /// More bytes are needed.
        case unfinished
        /// A head is complete; ``IngressFraming/head`` holds it.
        case head
        /// The last of the consumed bytes, this many, belong to a body.
        case body(Int)
        /// The request is complete.
        case end
        /// The bytes are not a request; no other follows.
        case refused(IngressRefusal)
    }

    /// What the next byte belongs to.
    enum Phase {
        case requestLine
        case fields
        /// A body of declared length; the number of bytes still to come.
        case body(Int)
        case chunk(IngressChunk)
        case trailers
        case end
    }

    let routes: IngressRoutes
    let limits: IngressLimits
    let forwarding: ForwardingField?
    var phase = Phase.requestLine
    /// The head of the request being read, from its request line until the next request begins.
    package internal(set) var head: IngressHead?
    /// How many bytes of the unfinished line were searched for its end.
    var searched = 0
    /// Bytes of the request consumed so far.
    var consumedBytes = 0
    /// Bytes of chunk framing so far.
    var chunkFramingBytes = 0
    /// Fields so far, those of the trailer included.
    var fieldCount = 0
    /// The maximum number of empty lines before a request; RFC 9112, section 2.2, requires one.
    static let emptyLines = 8

    /// Begins at the first byte of a connection.
    ///
    /// - Parameters:
    ///   - routes: The paths that are served.
    ///   - limits: The bounds.
    ///   - forwarding: The field to collect, when the peer is a trusted proxy.
    package init(routes: IngressRoutes, limits: IngressLimits, forwarding: ForwardingField? = nil) {
        self.routes = routes
        self.limits = limits
        self.forwarding = forwarding
    }

    /// Takes the next step.
    ///
    /// - Parameters:
    ///   - bytes: Every byte not consumed so far, those of the last call first.
    ///   - consumed: How many of them were consumed.
    /// - Returns: What was found.
    package mutating func next(in bytes: UnsafeRawBufferPointer, consumed: inout Int) -> Event {
        consumed = 0
        do throws(IngressRefusal) {
            let event = try step(bytes, &consumed)
            consumedBytes += consumed
            return event
        } catch {
            return .refused(error)
        }
    }

    mutating func step(
        _ bytes: UnsafeRawBufferPointer,
        _ consumed: inout Int
    ) throws(IngressRefusal) -> Event {
        switch phase {
        case .requestLine, .fields:
            return try readHead(bytes, &consumed) ? .head : .unfinished
        case .body(let remaining):
            guard !bytes.isEmpty else { return .unfinished }
            consumed = min(remaining, bytes.count)
            phase = remaining == consumed ? .end : .body(remaining - consumed)
            return .body(consumed)
        case .chunk(let chunk):
            return try readChunks(bytes, &consumed, from: chunk)
        case .trailers:
            guard try readTrailers(bytes, &consumed) else { return .unfinished }
            fallthrough
        case .end:
            phase = .requestLine
            consumedBytes = -consumed
            chunkFramingBytes = 0
            fieldCount = 0
            return .end
        }
    }

    /// Finds the next line.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - start: The index of its first byte.
    /// - Returns: The end of its content, before CRLF; `nil` when it is unfinished.
    /// - Throws: ``IngressRefusal/malformedRequest(_:)``.
    mutating func endOfLine(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(IngressRefusal) -> Int? {
        guard let index = bytes.index(of: IngressByte.lineFeed, from: start + searched) else {
            searched = bytes.count - start
            return nil
        }
        searched = 0
        guard index > start, bytes[index - 1] == IngressByte.carriageReturn else { throw .malformed(.lineEnd) }
        return index - 1
    }

    /// Checks one line of a head or a trailer.
    ///
    /// - Parameter line: The line without its end; not empty.
    /// - Returns: The index of the colon.
    /// - Throws: ``IngressRefusal/malformedRequest(_:)``, ``IngressRefusal/headTooLarge(bytes:fields:)``.
    mutating func checkField(_ line: UnsafeRawBufferPointer) throws(IngressRefusal) -> Int {
        fieldCount += 1
        guard fieldCount <= limits.headFields else {
            throw .headTooLarge(bytes: limits.headBytes, fields: limits.headFields)
        }
        guard !IngressByte.isBlank(line[0]) else { throw .malformed(.foldedField) }
        var colon = 0
        while colon < line.count, IngressByte.isToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { throw .malformed(.fieldName) }
        let value = line[bytes: (colon + 1)..<line.count]
        if !value.isFieldText {
            let fault = value.first { !IngressByte.isFieldText($0) }
            throw .malformed(fault == IngressByte.carriageReturn ? .lineEnd : .fieldValue)
        }
        return colon
    }

    /// Whether a byte may occur in the host of a Host field or of a target in absolute form.
    static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
