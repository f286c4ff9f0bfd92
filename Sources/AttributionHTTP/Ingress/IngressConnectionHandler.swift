import Attribution
import Logging
import Metrics
import NIOCore
import NIOHTTP1

/// One connection: takes one request at a time, checks it, hands it on, and answers in order.
///
/// Nothing more is read while an answer is awaited, so a sender that pipelines waits in its own buffers. It lives on
/// its event loop alone; answers that come from elsewhere are brought there first.
final class IngressConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private enum State {
        case awaitingHead
        case readingBody(Request)
        case awaitingAnswer(Request)
        /// The answer is on its way to a sender that reads slowly.
        case draining
        /// The last answer was sent; what still comes is thrown away until the sender closes.
        case closing
    }

    private struct Request {
        let head: HTTPRequestHead
        let route: IngressRoute
        let start: NIODeadline
        var body: ByteBuffer
    }

    private let server: IngressServer
    private let gate: IngressConnectionGate
    private var state = State.awaitingHead
    /// Requests that came behind the one being answered, already decoded.
    private var waiting = CircularBuffer<HTTPServerRequestPart>()
    private var deadline: NIODeadline
    private var clock: RepeatedTask?
    /// When the first byte of the request under way was awaited or came; nil between requests.
    private var requestStart: NIODeadline?
    private var requestCount = 0
    private var isLastRequest = false
    private var isInputClosed = false

    init(server: IngressServer, gate: IngressConnectionGate) {
        self.server = server
        self.gate = gate
        let now = NIODeadline.now()
        requestStart = now
        deadline = now + TimeAmount(server.limits.headTime)
    }

    // MARK: Life

    func channelActive(context: ChannelHandlerContext) {
        let box = NIOLoopBound(context, eventLoop: context.eventLoop)
        gate.onHeadTooLong = { [unowned self] in
            refuse(431, "head-too-long", "the head is longer than \(server.limits.headBytes) bytes", box.value)
        }
        gate.onBytes = { [unowned self] in
            headBegins()
        }
        let tick = TimeAmount(server.limits.shortestTime) / 4
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        // Looked at now and then: a timer set anew for each request would cost more than the request.
        clock = context.eventLoop.scheduleRepeatedTask(initialDelay: tick, delay: tick) { _ in
            if NIODeadline.now() >= own.value.deadline {
                own.value.deadlinePassed(box.value)
            }
        }
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        clock?.cancel()
        clock = nil
        gate.onHeadTooLong = nil
        gate.onBytes = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is IngressStopping:
            isLastRequest = true
            switch state {
            case .awaitingHead, .closing: context.close(promise: nil)
            // A body that is not complete within the bound is cut off with it.
            case .readingBody, .awaitingAnswer, .draining: break
            }
        case ChannelEvent.inputClosed:
            isInputClosed = true
            switch state {
            case .awaitingHead, .readingBody, .closing: context.close(promise: nil)
            // A sender may close its half and still wait for the answer.
            case .awaitingAnswer, .draining: isLastRequest = true
            }
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let parsing = error as? HTTPParserError else {
            context.close(promise: nil)
            return
        }
        if parsing == .headerOverflow {
            refuse(
                431, "head-too-long",
                "more than \(server.limits.headBytes) bytes or \(server.limits.headFields) fields in the head", context)
        } else {
            refuse(400, "bad-http", "the request breaks HTTP/1.1 (\(parsing)); send it with a HTTP library", context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .draining = state, context.channel.isWritable {
            nextRequest(context)
        }
        context.fireChannelWritabilityChanged()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch state {
        case .awaitingHead, .readingBody, .closing: context.read()
        case .awaitingAnswer, .draining: break
        }
        context.fireChannelReadComplete()
    }

    // MARK: Time

    private func headBegins() {
        if case .awaitingHead = state, requestStart == nil {
            let now = NIODeadline.now()
            requestStart = now
            deadline = now + TimeAmount(server.limits.headTime)
        }
    }

    private func deadlinePassed(_ context: ChannelHandlerContext) {
        switch state {
        case .awaitingHead where receivedHeadBytes > 0:
            refuse(408, "too-slow", "the head took longer than \(server.limits.headTime)", context)
        case .readingBody:
            refuse(408, "too-slow", "the request took longer than \(server.limits.requestTime)", context)
        case .awaitingAnswer:
            // The answer will come: the recorder answers everything it takes.
            break
        case .awaitingHead, .draining, .closing:
            context.close(promise: nil)
        }
    }

    private var receivedHeadBytes: Int {
        if case .head(let count) = gate.stage { count } else { 0 }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch state {
        case .awaitingAnswer, .draining: waiting.append(part)
        case .awaitingHead, .readingBody, .closing: take(part, context)
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (part, state) {
        case (.head(let head), .awaitingHead):
            begin(head, context)
        case (.body(let bytes), .readingBody(var request)):
            guard request.body.readableBytes + bytes.readableBytes <= server.limits.bodyBytes else {
                refuseBody(context)
                return
            }
            if request.body.readableBytes == 0 {
                request.body = bytes
            } else {
                request.body.writeImmutableBuffer(bytes)
            }
            state = .readingBody(request)
        case (.end, .readingBody(let request)):
            handOn(request, context)
        default:
            break
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        gate.stage = .other
        requestCount += 1
        let start = requestStart ?? .now()
        if head.version.major != 1 || head.version.minor > 1 {
            refuse(505, "bad-http-version", "found \(head.version), expected HTTP/1.1", context)
            return
        }
        isLastRequest = isLastRequest || !head.isKeepAlive || requestCount >= server.limits.requestsPerConnection
        switch IngressHeadCheck(head, limits: server.limits).result {
        case .success(let route):
            if head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }), head.version.minor == 1 {
                var interim = context.channel.allocator.buffer(capacity: 32)
                interim.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
                context.writeAndFlush(wrapOutboundOut(interim), promise: nil)
            }
            deadline = start + TimeAmount(server.limits.requestTime)
            state = .readingBody(Request(head: head, route: route, start: start, body: ByteBuffer()))
        case .failure(let refusal):
            log(head.method.rawValue, IngressRoute(target: head.uri), refusal.answer.status, start: start, bytes: 0)
            finish(refusal.answer, closing: true, context)
        }
    }

    private func refuseBody(_ context: ChannelHandlerContext) {
        refuse(
            413, "body-too-long", "the body is longer than \(server.limits.bodyBytes) bytes; a postback has about 500",
            context)
    }

    private func handOn(_ request: Request, _ context: ChannelHandlerContext) {
        state = .awaitingAnswer(request)
        deadline = .distantFuture
        let box = NIOLoopBound(context, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let own = NIOLoopBound(self, eventLoop: eventLoop)
        server.handler(
            IngressRequest(
                route: request.route, body: Array(request.body.readableBytesView),
                receivedAtMilliseconds: server.now())
        ) { answer in
            eventLoop.execute {
                own.value.answer(answer, box.value)
            }
        }
    }

    // MARK: Answers

    private func answer(_ answer: IngressAnswer, _ context: ChannelHandlerContext) {
        guard case .awaitingAnswer(let request) = state, context.channel.isActive else {
            return
        }
        log(
            request.head.method.rawValue, request.route, answer.status, start: request.start,
            bytes: request.body.readableBytes)
        finish(answer, closing: answer.closes, context)
    }

    /// Refuses what cannot be read to its end; the connection ends with it.
    private func refuse(_ status: Int, _ reason: String, _ detail: String, _ context: ChannelHandlerContext) {
        switch state {
        case .closing, .awaitingAnswer, .draining:
            // What came behind a request under way is broken: answer that one, then close.
            isLastRequest = true
            waiting.removeAll()
            return
        case .readingBody(let request):
            log(
                request.head.method.rawValue, request.route, status, start: request.start,
                bytes: request.body.readableBytes)
        case .awaitingHead:
            log("-", nil, status, start: .now(), bytes: 0)
        }
        finish(.refusal(status, reason, detail, closes: true), closing: true, context)
    }

    private func finish(_ answer: IngressAnswer, closing: Bool, _ context: ChannelHandlerContext) {
        let closes = closing || isLastRequest
        let buffer = answer.encoded(closes: closes, allocator: context.channel.allocator)
        guard !closes else {
            close(after: buffer, context)
            return
        }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        if context.channel.isWritable {
            nextRequest(context)
        } else {
            state = .draining
            deadline = .now() + TimeAmount(server.limits.answerTime)
        }
    }

    /// Sends the last answer, then closes the sending half and lets the sender read it: closing at once with unread
    /// input would reset the connection, and the answer with it.
    private func close(after buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        state = .closing
        gate.stage = .refused(0)
        waiting.removeAll()
        deadline = .now() + .seconds(2)  // as long as a sender may take to read the answer
        let isInputClosed = isInputClosed
        let box = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in
            box.value.close(mode: isInputClosed ? .all : .output, promise: nil)
        }
        if !isInputClosed {
            context.read()
        }
    }

    private func nextRequest(_ context: ChannelHandlerContext) {
        state = .awaitingHead
        gate.stage = .head(0)
        requestStart = nil
        deadline = .now() + TimeAmount(server.limits.idleTime)
        while let part = waiting.popFirst() {
            take(part, context)
            switch state {
            case .awaitingAnswer, .draining, .closing: return
            case .awaitingHead, .readingBody: break
            }
        }
        if isLastRequest {
            context.close(promise: nil)
        } else {
            context.read()
        }
    }

    private func log(_ method: String, _ route: IngressRoute?, _ status: Int, start: NIODeadline, bytes: Int) {
        Counter(
            label: "skan_requests_total", dimensions: [("route", route?.rawValue ?? "none"), ("status", "\(status)")]
        ).increment()
        server.logger.debug(
            "request",
            metadata: [
                "method": "\(method)", "route": "\(route?.rawValue ?? "none")", "status": "\(status)",
                "bytes": "\(bytes)", "microseconds": "\((NIODeadline.now() - start).nanoseconds / 1000)",
            ])
    }
}

extension TimeAmount {
    static func / (amount: TimeAmount, divisor: Int64) -> TimeAmount {
        .nanoseconds(max(1_000_000, amount.nanoseconds / divisor))
    }
}

extension IngressLimits {
    /// The shortest of the deadlines, which decides how often they are looked at.
    fileprivate var shortestTime: Duration {
        min(headTime, requestTime, answerTime, idleTime)
    }
}
