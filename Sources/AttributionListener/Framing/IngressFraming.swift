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
        case chunkSize
        /// The data of a chunk; the number of bytes still to come.
        case chunkData(Int)
        /// The end of line after the data of a chunk.
        case chunkEnd
        case trailers
        case end
    }

    let routes: IngressRoutes
    let limits: IngressLimits
    var forwarding: ForwardingField?
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
    package init(routes: IngressRoutes, limits: IngressLimits, forwarding: ForwardingField? = nil) {
        self.routes = routes
        self.limits = limits
        self.forwarding = forwarding
    }

    /// Takes the next step.
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

    mutating func step(_ bytes: UnsafeRawBufferPointer, _ consumed: inout Int) throws(IngressRefusal) -> Event {
        switch phase {
        case .requestLine, .fields:
            return try readHead(bytes, &consumed) ? .head : .unfinished
        case .body(let remaining):
            guard !bytes.isEmpty else { return .unfinished }
            consumed = min(remaining, bytes.count)
            phase = remaining == consumed ? .end : .body(remaining - consumed)
            return .body(consumed)
        case .chunkSize, .chunkData, .chunkEnd:
            return try readChunks(bytes, &consumed)
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

/// Reading heads.
extension IngressFraming {
    /// Reads the lines of a head that have arrived.
    private mutating func readHead(
        _ bytes: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(IngressRefusal) -> Bool {
        if case .requestLine = phase { head = nil }
        while let end = try endOfLine(bytes, from: consumed) {
            let line = bytes[bytes: consumed..<end]
            guard consumedBytes + end + 2 <= limits.headBytes else { throw overflow() }
            let lineStart = consumedBytes + consumed
            consumed = end + 2
            if head == nil {
                // A few empty lines may precede a request.
                guard !line.isEmpty else {
                    guard lineStart < 2 * Self.emptyLines else { throw .malformed(.method) }
                    continue
                }
                head = try readRequestLine(line)
                phase = .fields
            } else if line.isEmpty {
                finishHead()
                return true
            } else {
                let colon = try checkField(line)
                do throws(IngressFault) {
                    try head?.take(
                        line[bytes: 0..<colon], line[bytes: (colon + 1)..<line.count].trimmed, forwarding: forwarding,
                        keeping: routes.fields)
                } catch {
                    throw .malformed(error)
                }
            }
        }
        guard consumedBytes + bytes.count <= limits.headBytes else { throw overflow() }
        // Refuses what cannot become a request without waiting for the end of its line.
        if head == nil { try checkBeginning(bytes[bytes: consumed..<bytes.count]) }
        return false
    }

    private mutating func finishHead() {
        head?.finish(routes: routes, limits: limits)
        guard let head else { return }
        if head.isChunked {
            phase = .chunkSize
        } else {
            phase = head.declaredBytes > 0 ? .body(head.declaredBytes) : .end
        }
    }

    private func readRequestLine(_ line: UnsafeRawBufferPointer) throws(IngressRefusal) -> IngressHead {
        guard let space = line.firstIndex(of: IngressByte.space),
            let method = IngressMethod(line[bytes: 0..<space])
        else { throw .malformed(Self.beginsProxyHeader(line) ? .proxyHeader : .method) }
        let rest = line[bytes: (space + 1)..<line.count]
        guard rest.count > Self.versionLength, rest[rest.count - Self.versionLength] == IngressByte.space else {
            throw .malformed(.version)
        }
        let target = rest[bytes: 0..<(rest.count - Self.versionLength)]
        let version = rest[bytes: (target.count + 1)..<rest.count]
        guard version.isEqual(to: "HTTP/1.1") || version.isEqual(to: "HTTP/1.0") else {
            throw .malformed(.version)
        }
        guard Self.isTarget(target) else { throw .malformed(.target) }
        return IngressHead(
            method: method, target: target, routes: routes,
            isLegacy: version[version.count - 1] == UInt8(ascii: "0"), limits: limits)
    }

    /// Whether a line is the first of a PROXY header, or the third of a binary one, which begins with two empty ones.
    private static func beginsProxyHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        line.starts(with: "PROXY ".utf8) || line.first == 0
    }

    /// The length of ` HTTP/1.1`.
    private static let versionLength = 9

    /// Whether a target is a path, an http or https URL, or an asterisk.
    private static func isTarget(_ target: UnsafeRawBufferPointer) -> Bool {
        guard target.isTargetText else { return false }
        if target.first == UInt8(ascii: "/") { return true }
        if target.count == 1 { return target[0] == UInt8(ascii: "*") }
        guard let authority = IngressRoutes.authorityStart(of: target) else { return false }
        let rest = target[bytes: authority..<target.count]
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.count
        return end > 0 && rest[bytes: 0..<end].allSatisfy(isHostByte)
    }

    private func checkBeginning(_ line: UnsafeRawBufferPointer) throws(IngressRefusal) {
        if line.count == 1, line[0] == IngressByte.carriageReturn { return }
        for (index, byte) in line.enumerated() {
            if index > 0, byte == IngressByte.space { return }
            guard index < IngressMethod.longest, byte &- UInt8(ascii: "A") < 26 else {
                throw .malformed(Self.beginsProxyHeader(line) ? .proxyHeader : .method)
            }
        }
    }

    /// A head that outgrows its bound before the end of its first line has a target that is too long.
    private func overflow() -> IngressRefusal {
        head != nil
            ? .headTooLarge(bytes: limits.headBytes, fields: limits.headFields)
            : .targetTooLong(limit: limits.targetBytes)
    }
}
