import CodedErrors
import Logging
import NIOCore
import TLS

/// Carrying out what the state machine decides.
extension ConnectionHandler {
    /// Carries out one action.
    func perform(_ action: ConnectionAction) {
        switch action {
        case .handOver(let request, let number):
            callRoute(request, number: number)
        case .refuse(let refusal, let form):
            write(refusal, form)
        case .sendContinue:
            send(encoder.encodeContinue())
        case .read:
            context?.read()
        case .closeOutput:
            closeOutput()
        case .close:
            context?.close(promise: nil)
        case .closeIdle:
            loop.metrics.countDisconnect(.idleDeadline)
            context?.close(promise: nil)
        case .cutOff(let reason):
            cutOff(reason)
        }
    }

    /// Calls the route, unless the client's share of requests in flight is used up.
    func hand(over request: CompleteRequest, number: Int) {
        var share: ClientShares.Holder?
        if peer.isShareBounded(request.client) {
            let holder = ClientShares.Holder(request.client)
            guard loop.census.shares.take(holder) else {
                loop.metrics.countRefusal(ClientShares.refusal.code)
                return takeInCall(
                    IngressAnswer(refusing: ClientShares.refusal), number: number,
                    reason: ClientShares.refusal.code.rawValue)
            }
            share = holder
        }
        let serial = loop.expectAnswer(for: self, number: number, share: share)
        let received = IngressRequest(
            route: request.route, method: request.method, target: request.target, fields: request.fields,
            body: request.body, receivedAt: request.receivedAt,
            client: peer.isProxy ? request.client?.clientText : ownClient)
        switch loop.handler {
        case .callback(let take):
            let mailbox = loop.mailbox
            take(received) { mailbox.post($0, serial: serial) }
        case .task(let respond):
            let task = loop.answer(serial) { await respond(received) }
            if request.route.endsWithClient { work = task }
        }
    }

    /// Writes the answer of a refused request.
    private func write(_ refusal: IngressRefusal, _ form: AnswerForm) {
        loop.metrics.countRefusal(refusal.code)
        var answer = IngressAnswer(refusing: refusal)
        switch refusal {
        case .unanswered:
            work?.cancel()
            work = nil
            loop.noteUnanswered(form.request)
        case .methodNotAllowed(_, let allowed): answer.set("Allow", allowed)
        default: break
        }
        write(answer, form, reason: refusal.code.rawValue)
    }

    /// Writes an answer, and closes the connection once the socket has taken its last one.
    func write(_ answer: IngressAnswer, _ form: AnswerForm, reason: String? = nil) {
        guard let context else { return }
        let (bytes, body) = encoder.encode(
            answer,
            isLast: form.isLast,
            announcesKeepAlive: form.request.announcesKeepAlive,
            omitsBody: form.request.method == .head
        )
        record(
            form.request, status: answer.status, answerBytes: answer.body.count, reason: reason, caller: answer.caller)
        guard form.isLast else {
            send(bytes)
            if let body { send(body) }
            return
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] result in
            if case .success = result { didWriteLastAnswer() } else { self.context?.close(promise: nil) }
        }
        if let body {
            context.write(wrapOutboundOut(bytes), promise: nil)
            context.writeAndFlush(wrapOutboundOut(body), promise: written)
        } else {
            context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
        }
        didHandOverLastAnswer()
    }

    /// Sends bytes, bypassing the pipeline as long as the socket takes them whole, as most always do.
    ///
    /// After the first partial write, and for the last answer, bytes go through the pipeline, which waits for the
    /// socket and handles its errors. From then on nothing bypasses it, so that the order is kept.
    private func send(_ bytes: ByteBuffer) {
        var bytes = bytes
        if let socket {
            bytes.moveReaderIndex(forwardBy: socket.take(bytes))
            guard bytes.readableBytes > 0 else { return }
            self.socket = nil
        }
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    private func closeOutput() {
        guard let context else { return }
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.assumeIsolated().whenFailure { [self] _ in self.context?.close(promise: nil) }
        context.close(mode: .output, promise: closed)
    }

    private func cutOff(_ reason: ConnectionAction.Disconnect) {
        guard let context else { return }
        loop.metrics.countDisconnect(reason)
        // Bypasses the TLS handler, whose closing handshake waits for the client.
        if let tls = try? context.pipeline.syncOperations.context(handlerType: TLSHandler.self) {
            tls.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    /// Counts and logs a request; status 0 means it got no answer.
    func record(
        _ request: RequestInFlight, status: Int, answerBytes: Int, reason: String?, caller: String? = nil
    ) {
        loop.metrics.countRequest(route: request.route, status: status, caller: caller)
        // A copy of the settings would cost each request their retains.
        guard loop.settings.logger.logLevel <= loop.settings.accessLogLevel else { return }
        let settings = loop.settings
        let elapsed = Double((NIODeadline.now() - request.startedAt).nanoseconds) / 1_000_000
        var metadata: Logger.Metadata = [
            "method": .string(request.method?.rawValue ?? "none"),
            "route": .string(request.route?.path ?? "none"),
            "status": .stringConvertible(status),
            "body_bytes": .stringConvertible(request.bodyBytes),
            "answer_bytes": .stringConvertible(answerBytes),
            "duration_ms": .stringConvertible(elapsed),
        ]
        if let reason { metadata["reason"] = .string(reason) }
        settings.logger.log(level: settings.accessLogLevel, "request", metadata: metadata)
    }
}
