import NIOCore
import NIOHTTP1

/// Reports requests and answers to the connection's state, refuses faulty requests, and closes after the last answer.
///
/// Hummingbird keeps a connection open unless the request says exactly `Connection: close`, so this handler sets that
/// on every last request, including HTTP/1.0 requests without `keep-alive`.
final class ConsoleRequestHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: ConsoleConnection
    /// Whether the newest request is the last.
    private var isLastRequest = false
    /// Whether the client has to be told that the connection stays open.
    private var isOldClient = false

    init(_ connection: ConsoleConnection) {
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        connection.refuse = { fault in bound.value.0.pass(fault, bound.value.1) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        connection.refuse = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection.progress.input != .none else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            if let fault = connection.receive(head) { return pass(fault, context) }
            isOldClient = head.version == .http1_0
            isLastRequest = !head.isKeepAlive || connection.isReserved
            if isLastRequest { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body:
            context.fireChannelRead(data)
        case .end:
            connection.receiveEnd()
            if isLastRequest { connection.endInput() }
            context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        switch connection.progress.input {
        // Whatever follows the last request is ignored.
        case .none: return
        // The route reading the body gets the error, and its answer is the last.
        case .body:
            isLastRequest = true
            connection.endInput()
            context.fireErrorCaught(error)
        case .idle, .head:
            if case .headerOverflow = error { return pass(.headTooLarge, context) }
            pass(.malformed, context)
        }
    }

    /// Passes on a refusal as a request.
    private func pass(_ fault: ConsoleFault, _ context: ChannelHandlerContext) {
        connection.receive(fault)
        isLastRequest = true
        context.fireChannelRead(wrapInboundOut(.head(fault.request)))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        context.fireChannelReadComplete()
    }

    // MARK: Answers

    /// Whether the request being answered is the last.
    private var isLastAnswer: Bool {
        isLastRequest && connection.progress.unanswered <= 1
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response):
            if connection.progress.unanswered <= 1, !response.isKeepAlive {
                isLastRequest = true
                connection.endInput()
            }
            if isLastAnswer {
                response.headers.replaceOrAdd(name: "Connection", value: "close")
            } else if isOldClient {
                response.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
            }
            context.write(wrapOutboundOut(.head(response)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            guard isLastAnswer else {
                connection.answer()
                return context.write(data, promise: promise)
            }
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            let bound = NIOLoopBound((connection, context), eventLoop: context.eventLoop)
            sent.futureResult.whenComplete { _ in
                let (connection, context) = bound.value
                connection.didSendLast()
                context.close(mode: .output, promise: nil)
            }
            context.write(data, promise: sent)
            connection.sendLast()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.didChangeWritability()
        context.fireChannelWritabilityChanged()
    }
}
