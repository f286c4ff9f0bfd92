import CodedErrors
import Logging
import NIOCore

/// From complete requests to answers, one at a time and in order.
extension IngressConnection {
    /// Takes a request that is read, or refused, for answering.
    func submit(_ exchange: IngressExchange, _ outcome: IngressExchange.Outcome) {
        if !isAnswering, isWritable, !isAdvancing, phase == .open {
            start(exchange, outcome)
            if pending == nil { advance() }
            return
        }
        queue.append((exchange, outcome))
        if queue.count >= limits.pipelinedRequests, input != .finished {
            input = .finished
            endsCleanly = false
        }
    }

    /// Starts on what waits, and when nothing does, goes back to reading.
    func advance() {
        guard !isAdvancing, phase == .open else { return }
        isAdvancing = true
        while pending == nil, isWritable, phase == .open, let (exchange, outcome) = queue.popFirst() {
            start(exchange, outcome)
        }
        isAdvancing = false
        guard pending == nil, queue.isEmpty, phase == .open else { return }
        if owesContinue { sendContinue() }
        let now = NIODeadline.now()
        switch input {
        case .opening, .idle:
            deadline = now + loop.deadlines.idle
        case .head:
            deadline = now + loop.deadlines.head
        case .body, .discarding:
            deadline = now + loop.deadlines.request
        case .finished:
            break
        }
        resumeReading()
    }

    /// Sends `100 Continue`, after the answers that stand before it.
    func sendContinue() {
        guard !isAnswering, isWritable else {
            owesContinue = true
            return
        }
        owesContinue = false
        send(encoder.encodeContinue())
    }

    private func start(_ exchange: IngressExchange, _ outcome: IngressExchange.Outcome) {
        switch outcome {
        case .refused(let refusal):
            write(refusal, to: exchange)
        case .accepted(let request):
            pending = exchange
            let serial = loop.expectAnswer(for: self)
            outstanding = serial
            deadline = .now() + loop.deadlines.answer
            let mailbox = loop.mailbox
            loop.settings.handler(request) { mailbox.post($0, serial: serial) }
        }
    }

    /// Takes the handler's answer; one nobody waits for is dropped.
    func take(_ answer: IngressAnswer, serial: UInt64) {
        guard outstanding == serial else { return }
        outstanding = nil
        guard let exchange = pending.take() else { return }
        write(answer, to: exchange)
        advance()
    }

    /// Writes the answer of a refused request.
    func write(_ refusal: IngressRefusal, to exchange: IngressExchange) {
        loop.metrics.countRefusal(refusal)
        write(IngressAnswer(refusing: refusal), to: exchange, reason: refusal.code.rawValue)
    }

    private func write(_ answer: IngressAnswer, to exchange: IngressExchange, reason: String? = nil) {
        guard context != nil else { return }
        let isLast = input == .finished && queue.isEmpty
        let bytes = encoder.encode(
            answer,
            isLast: isLast,
            announcesKeepAlive: exchange.announcesKeepAlive,
            omitsBody: exchange.method == .head
        )
        record(exchange, status: answer.status, answerBytes: answer.body.count, reason: reason)
        if isLast {
            close(after: bytes)
        } else {
            send(bytes)
        }
    }

    /// Sends bytes, past the pipeline as long as the socket takes them whole, which most always do.
    ///
    /// From the first time it does not, and for the last answer, they go through the pipeline, which waits for the
    /// socket and meets its errors. Nothing goes past it any more then, for nothing may overtake what waits there.
    private func send(_ bytes: ByteBuffer) {
        var bytes = bytes
        if let socket {
            bytes.moveReaderIndex(forwardBy: socket.take(bytes))
            guard bytes.readableBytes > 0 else { return }
            self.socket = nil
        }
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    /// Counts and logs a request; status 0 stands for one that got no answer.
    func record(_ exchange: IngressExchange, status: Int, answerBytes: Int, reason: String?) {
        loop.metrics.countRequest(route: exchange.route, status: status)
        guard loop.settings.logger.logLevel <= loop.settings.accessLogLevel else { return }
        let settings = loop.settings
        let elapsed = Double((NIODeadline.now() - exchange.startedAt).nanoseconds) / 1_000_000
        var metadata: Logger.Metadata = [
            "method": .string(exchange.method?.rawValue ?? "none"),
            "route": .string(exchange.route?.path ?? "none"),
            "status": .stringConvertible(status),
            "body_bytes": .stringConvertible(exchange.bodyBytes),
            "answer_bytes": .stringConvertible(answerBytes),
            "duration_ms": .stringConvertible(elapsed),
        ]
        if let reason { metadata["reason"] = .string(reason) }
        settings.logger.log(level: settings.accessLogLevel, "request", metadata: metadata)
    }
}
