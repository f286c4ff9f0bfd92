import NIOCore
import NIOHTTP1

/// From bytes to complete requests.
extension IngressConnection {
    /// Whether bytes still go to the HTTP decoder.
    var takesInput: Bool { input != .finished }

    /// Counts bytes and starts the clock of a request with its first one.
    ///
    /// - Parameter byteCount: The bytes about to be decoded.
    func willDecode(byteCount: Int) {
        switch input {
        case .opening:
            // The head's deadline runs from the connection.
            beginRequest(at: .now())
        case .idle:
            let now = NIODeadline.now()
            beginRequest(at: now)
            if !isAnswering { deadline = now + TimeAmount(limits.headDeadline) }
        case .head, .body, .discarding, .finished:
            break
        }
        wireBytes += byteCount
    }

    /// Checks what the decoder does not: the bytes it skipped.
    ///
    /// - Parameter fresh: The bytes just decoded.
    func didDecode(_ fresh: ByteBuffer?) {
        switch input {
        case .head:
            sawRequestLine = sawRequestLine || Self.hasLineFeed(fresh)
            guard wireBytes > limits.headBytes else { return }
            refuse(overflow(in: nil))
        case .body, .discarding:
            guard wireBytes > limits.wireBytes else { return }
            refuse(.bodyTooLarge(limit: limits.bodyBytes))
        case .opening, .idle, .finished:
            return
        }
    }

    /// Answers bytes that are not HTTP.
    ///
    /// - Parameters:
    ///   - error: The decoder's finding.
    ///   - fresh: The bytes it was found in.
    func decodingFailed(_ error: any Error, in fresh: ByteBuffer?) {
        guard takesInput else {
            endsCleanly = false
            return
        }
        if error as? HTTPParserError == .headerOverflow {
            refuse(overflow(in: fresh))
        } else {
            refuse(.malformedRequest("\(error)"))
        }
    }

    /// Counts bytes that came after the last request.
    ///
    /// - Parameter byteCount: How many.
    func didDiscard(byteCount: Int) {
        endsCleanly = false
        lingeredBytes += byteCount
        if phase == .lingering, lingeredBytes > limits.lingerBytes { cutOff(because: "linger-bound") }
    }

    func didReadHead(_ decoded: HTTPRequestHead) {
        // A head right behind the last request, in the same bytes.
        if input == .idle { beginRequest(at: .now()) }
        let settings = loop.settings
        let head = IngressHead(
            decoded,
            limits: settings.limits,
            forwarding: isProxied ? settings.trustedProxies.field : nil
        )
        self.head = head
        if let refusal = head.refusal {
            guard refusal.keepsConnection, !head.expectsContinue else { return refuse(refusal) }
            input = .discarding
        } else {
            input = .body
            if head.expectsContinue { sendContinue() }
        }
        if !isAnswering { deadline = startedAt + TimeAmount(limits.requestDeadline) }
    }

    func didReadBody(_ bytes: ByteBuffer) {
        let count = bytes.readableBytes
        owesContinue = false
        switch input {
        case .body:
            guard body.count + count <= limits.bodyBytes else {
                return refuse(.bodyTooLarge(limit: limits.bodyBytes))
            }
            if body.isEmpty {
                if let declared = head?.declaredBytes, declared > count { body.reserveCapacity(declared) }
            }
            body.append(contentsOf: bytes.readableBytesView)
        case .discarding:
            droppedBytes += count
            if droppedBytes > limits.bodyBytes { refuse(head?.refusal ?? .bodyTooLarge(limit: limits.bodyBytes)) }
        case .opening, .idle, .head, .finished:
            break
        }
    }

    func didReadEnd() {
        guard let head, input == .body || input == .discarding else { return }
        self.head = nil
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
            remoteAddress: clientAddress(head)
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
        head = nil
        body = []
        owesContinue = false
        submit(exchange, .refused(refusal))
    }

    private func beginRequest(at time: NIODeadline) {
        input = .head
        startedAt = time
        wireBytes = 0
        droppedBytes = 0
        sawRequestLine = false
    }

    /// A head that is too large is a target that is too long while its first line has no end.
    private func overflow(in fresh: ByteBuffer?) -> IngressRefusal {
        sawRequestLine || Self.hasLineFeed(fresh)
            ? .headTooLarge(bytes: limits.headBytes, fields: limits.headFields)
            : .targetTooLong(limit: limits.targetBytes)
    }

    private static func hasLineFeed(_ bytes: ByteBuffer?) -> Bool {
        bytes?.readableBytesView.contains(UInt8(ascii: "\n")) ?? false
    }

    private func clientAddress(_ head: IngressHead) -> String? {
        guard isProxied, let peer else { return peerText }
        return loop.settings.trustedProxies.client(forwardedBy: peer, values: head.forwarded)?.description
    }
}
