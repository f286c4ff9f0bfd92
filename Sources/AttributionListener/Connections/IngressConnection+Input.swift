import NIOCore

/// From bytes to complete requests.
extension IngressConnection {
    /// Takes bytes, and cuts requests out of all that are there.
    func didRead(_ fresh: ByteBuffer) {
        guard input != .finished else { return didDiscard(byteCount: fresh.readableBytes) }
        if unread.readableBytes == 0 {
            unread = fresh
        } else {
            unread.writeImmutableBuffer(fresh)
        }
        // Answering a request may bring more bytes, which the loop below finds.
        guard !isFraming else { return }
        isFraming = true
        frame()
        isFraming = false
        if input == .finished {
            if unread.readableBytes > 0 { didDiscard(byteCount: unread.readableBytes) }
            unread = ByteBuffer()
        } else if unread.readableBytes == 0 {
            unread = ByteBuffer()
        }
    }

    private func frame() {
        while input != .finished {
            if unread.readableBytes > 0 { beginRequestIfNone() }
            var consumed = 0
            var refusal: IngressRefusal?
            let event = unread.withUnsafeReadableBytes { bytes in
                while true {
                    var step = 0
                    let event = framing.next(in: bytes[bytes: consumed..<bytes.count], consumed: &step)
                    consumed += step
                    guard case .body(let count) = event else { return event }
                    refusal = takeBody(bytes[bytes: (consumed - count)..<consumed])
                    // A body may come in many small chunks.
                    if refusal != nil || consumed == bytes.count { return event }
                }
            }
            // Before anything is handed over or answered, for that may bring more bytes.
            unread.moveReaderIndex(forwardBy: consumed)
            switch event {
            case .unfinished: return
            case .head: didReadHead()
            case .body: if let refusal { refuse(refusal) }
            case .end: didReadEnd()
            case .refused(let refusal): refuse(refusal)
            }
        }
    }

    /// Counts bytes that came after the last request.
    private func didDiscard(byteCount: Int) {
        endsCleanly = false
        lingeredBytes += byteCount
        if phase == .lingering, lingeredBytes > limits.lingerBytes { cutOff(because: "linger-bound") }
    }

    /// Starts the clock of a request with its first byte.
    private func beginRequestIfNone() {
        switch input {
        case .opening:
            // The head's deadline runs from the connection.
            startedAt = .now()
        case .idle:
            startedAt = .now()
            if !isAnswering { deadline = startedAt + loop.deadlines.head }
        case .head, .body, .discarding, .finished:
            return
        }
        input = .head
        droppedBytes = 0
    }

    private func didReadHead() {
        guard let head else { return }
        if let refusal = head.refusal {
            guard refusal.keepsConnection, !head.expectsContinue else { return refuse(refusal) }
            input = .discarding
        } else {
            input = .body
            if head.expectsContinue { sendContinue() }
        }
        if !isAnswering { deadline = startedAt + loop.deadlines.request }
    }

    /// Keeps or drops bytes of a body, or tells why the request cannot go on.
    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> IngressRefusal? {
        owesContinue = false
        switch input {
        case .body:
            guard body.count + bytes.count <= limits.bodyBytes else { return .bodyTooLarge(limit: limits.bodyBytes) }
            if body.isEmpty { body.reserveCapacity(max(bytes.count, head?.declaredBytes ?? 0)) }
            body.append(contentsOf: bytes)
        case .discarding:
            droppedBytes += bytes.count
            guard droppedBytes <= limits.bodyBytes else {
                return head?.refusal ?? .bodyTooLarge(limit: limits.bodyBytes)
            }
        case .opening, .idle, .head, .finished:
            break
        }
        return nil
    }

    private func didReadEnd() {
        guard let head, input == .body || input == .discarding else { return }
        acceptedCount += 1
        owesContinue = false
        if !head.keepsAlive || isStopping || acceptedCount >= limits.requestsPerConnection {
            input = .finished
            endsCleanly = !head.keepsAlive
        } else {
            input = .idle
        }
        let exchange = IngressExchange(
            method: head.method,
            route: head.route,
            announcesKeepAlive: head.isLegacy && head.keepsAlive,
            startedAt: startedAt,
            bodyBytes: body.count + droppedBytes
        )
        if let refusal = head.refusal {
            return submit(exchange, .refused(refusal))
        }
        guard let route = head.route else { return }
        let request = IngressRequest(
            route: route,
            body: body,
            receivedAt: loop.settings.now(),
            client: client(head)
        )
        body = []
        submit(exchange, .accepted(request))
    }

    /// Takes the end of what the client sends; it may still read.
    func didCloseInput() {
        isInputClosed = true
        switch (phase, input) {
        case (.lingering, _):
            context?.close(promise: nil)
        case (.open, .head), (.open, .body), (.open, .discarding):
            refuse(.incompleteRequest)
        case (.open, _):
            input = .finished
            if !isAnswering { context?.close(promise: nil) }
        case (.closing, _), (.closed, _):
            break
        }
    }

    /// Answers the request being read and takes no other.
    ///
    /// - Parameter refusal: What the answer says.
    func refuse(_ refusal: IngressRefusal) {
        input = .finished
        endsCleanly = false
        let exchange = IngressExchange(
            method: head?.method,
            route: head?.route,
            announcesKeepAlive: false,
            startedAt: startedAt,
            bodyBytes: body.count + droppedBytes
        )
        body = []
        owesContinue = false
        submit(exchange, .refused(refusal))
    }

    private func client(_ head: IngressHead) -> String? {
        guard isProxied, let peer else { return ownClient }
        return loop.settings.trustedProxies.client(forwardedBy: peer, values: head.forwarded)?.clientText
    }
}
