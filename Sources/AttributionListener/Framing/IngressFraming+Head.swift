/// Reading heads.
extension IngressFraming {
    /// Reads the lines of a head that have arrived.
    ///
    /// - Returns: Whether the head is complete.
    mutating func readHead(_ bytes: UnsafeRawBufferPointer, _ consumed: inout Int) throws(IngressRefusal) -> Bool {
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
            phase = .chunk(.start)
        } else {
            phase = head.declaredBytes > 0 ? .body(head.declaredBytes) : .end
        }
    }

    private func readRequestLine(_ line: UnsafeRawBufferPointer) throws(IngressRefusal) -> IngressHead {
        guard let space = line.firstIndex(of: IngressByte.space),
            let method = IngressMethod(line[bytes: 0..<space])
        else { throw .malformed(.method) }
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
            guard index < IngressMethod.longest, byte &- UInt8(ascii: "A") < 26 else { throw .malformed(.method) }
        }
    }

    /// A head that outgrows its bound before the end of its first line has a target that is too long.
    private func overflow() -> IngressRefusal {
        head != nil
            ? .headTooLarge(bytes: limits.headBytes, fields: limits.headFields)
            : .targetTooLong(limit: limits.targetBytes)
    }
}
