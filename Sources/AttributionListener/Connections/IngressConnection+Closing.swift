import Logging
import NIOCore
import NIOSSL

/// How a connection ends.
extension IngressConnection {
    /// Looks at the deadline that counts now.
    func checkDeadline(_ now: NIODeadline) {
        if now >= writeDeadline { return cutOff(because: "write-deadline") }
        guard now >= deadline else { return }
        switch phase {
        case .closed:
            break
        case .closing:
            cutOff(because: "write-deadline")
        case .lingering:
            cutOff(because: "linger-bound")
        case .open:
            deadlinePassed()
        }
    }

    private func deadlinePassed() {
        if let exchange = pending.take() {
            loop.noteUnanswered(exchange)
            // What waits behind it is left to the client to send again.
            queue.removeAll()
            input = .finished
            return write(.unanswered(retryAfter: limits.retryAfter), to: exchange)
        }
        guard queue.isEmpty else { return }
        switch input {
        case .opening:
            cutOff(because: "head-deadline")
        case .idle:
            loop.metrics.countDisconnect("idle-deadline")
            context?.close(promise: nil)
        case .head:
            refuse(.deadlinePassed(part: "head"))
        case .body, .discarding:
            refuse(.deadlinePassed(part: "body"))
        case .finished:
            cutOff(because: "write-deadline")
        }
    }

    /// Ends the connection as soon as the request it is at has been answered.
    func stop() {
        isStopping = true
        guard phase == .open, input == .idle || input == .opening else { return }
        input = .finished
        if !isAnswering { context?.close(promise: nil) }
    }

    /// Closes at once, without waiting for anything of the client's.
    ///
    /// - Parameter reason: The label of the counter.
    func cutOff(because reason: String) {
        guard phase != .closed, let context else { return }
        loop.metrics.countDisconnect(reason)
        // Past the TLS handler, whose closing handshake waits for the client.
        if let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    /// Writes the last answer and closes once the socket has taken it.
    func close(after bytes: ByteBuffer) {
        guard let context else { return }
        phase = .closing
        deadline = .now() + loop.deadlines.write
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] result in
            if case .success = result { didWriteLast() } else { self.context?.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
    }

    private func didWriteLast() {
        guard phase == .closing, let context else { return }
        guard !endsCleanly, !isInputClosed else { return context.close(promise: nil) }
        phase = .lingering
        deadline = .now() + loop.deadlines.linger
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.assumeIsolated().whenFailure { [self] _ in self.context?.close(promise: nil) }
        context.close(mode: .output, promise: closed)
        resumeReading()
    }

    /// Forgets the connection, once.
    func didClose() {
        guard phase != .closed else { return }
        phase = .closed
        input = .finished
        context = nil
        socket = nil
        if let exchange = pending.take() { record(exchange, status: 0, answerBytes: 0, reason: "client-gone") }
        queue.removeAll()
        loop.remove(self)
        loop.census.leave(network)
    }
}
