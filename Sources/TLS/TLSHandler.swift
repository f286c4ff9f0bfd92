package import NIOCore

/// Passed through the pipeline as a user event once the peers have agreed.
package struct TLSHandshake: Sendable {
    /// The version, for example `TLSv1.3`.
    package let version: String
    /// The certificate of a server; nil on a server's side.
    package let peerCertificate: TLSCertificate?
}

/// Encrypts one connection.
///
/// What is written before the handshake is done is sent after it. Errors are ``TLSError``s, after which the connection
/// is closed. Where the channel allows a half-closed connection, the peer's last alert is passed on as
/// `ChannelEvent.inputClosed`; otherwise it closes the connection. Closing waits for the peer's last alert, but no
/// longer than a second; to cut the peer off, close from this handler's own context.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private enum State {
        /// Until the socket is connected and the peers agree.
        case handshaking
        case open
        /// Told the peer that nothing more is sent, and waits for the same from it.
        case closing
        case closed
    }

    private struct Write {
        let bytes: ByteBuffer
        let promise: EventLoopPromise<Void>?
    }

    private static let closingTime = TimeAmount.seconds(1)
    /// Small writes are encrypted together, up to this number of bytes.
    private static let recordBytes = 16 << 10

    private let session: TLSSession
    private let isServer: Bool
    private var state = State.handshaking
    /// Whether the peer said that it sends nothing more.
    private var isInputEnded = false
    /// Whether the peer was told that nothing more is sent.
    private var isOutputEnded = false
    /// Whether the handler after this one got something since the last end of reading.
    private var hasPassedOn = false
    private var unflushed: [Write] = []
    private var flushed: [Write] = []
    /// The output is to be closed after the handshake; the promises of that.
    private var outputEnds: [EventLoopPromise<Void>?] = []
    private var ends: [EventLoopPromise<Void>] = []
    /// Whether the socket has taken everything, the last alert included.
    private var isSent = false
    private var timer: Scheduled<Void>?

    /// Makes the handler of a server's connection.
    ///
    /// - Parameter context: The server's context.
    /// - Throws: ``TLSError/unavailable``.
    package init(server context: TLSContext) throws(TLSError) {
        precondition(context.isServer, "a client's context serves nobody")
        session = try TLSSession(context, serverName: nil)
        isServer = true
    }

    /// Makes the handler of a client's connection.
    ///
    /// - Parameters:
    ///   - context: A client's context.
    ///   - serverName: The name, or the address without brackets, that the server's certificate must carry.
    /// - Throws: ``TLSError/unavailable``.
    package init(client context: TLSContext, serverName: String) throws(TLSError) {
        precondition(!context.isServer, "a server's context trusts nobody")
        session = try TLSSession(context, serverName: serverName)
        isServer = false
    }

    // MARK: Events

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { shakeHands(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        shakeHands(context)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .closed else { return }
        session.receive(unwrapInboundIn(data))
        if state == .handshaking { shakeHands(context) }
        if state == .open || state == .closing { decrypt(context) }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // A part of a record is nothing to those who ask for each read.
        if !hasPassedOn, state != .closed, context.channel.isWritable { context.read() }
        hasPassedOn = false
        context.fireChannelReadComplete()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        switch state {
        case .handshaking: fail(.handshakeFailed(reason: "the connection ended"), context)
        case .open where !isInputEnded:
            // No alert will come any more that closing could wait for.
            isInputEnded = true
            context.fireErrorCaught(TLSError.uncleanShutdown)
            context.fireUserInboundEventTriggered(event)
        // Passed on with the peer's last alert.
        case .open: break
        case .closing, .closed: finish(context)
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        let error: TLSError? =
            switch state {
            case .handshaking: .handshakeFailed(reason: "the connection ended")
            case .open: isInputEnded ? nil : .uncleanShutdown
            case .closing, .closed: nil
            }
        state = .closed
        timer?.cancel()
        if let error { context.fireErrorCaught(error) }
        dropWrites(error ?? ChannelError.ioOnClosedChannel)
        succeedEnds()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        state = .closed
        timer?.cancel()
        dropWrites(ChannelError.ioOnClosedChannel)
        succeedEnds()
    }

    // MARK: Requests

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state == .handshaking || state == .open, !isOutputEnded, outputEnds.isEmpty else {
            promise?.fail(state == .open ? ChannelError.outputClosed : ChannelError.ioOnClosedChannel)
            return
        }
        unflushed.append(Write(bytes: unwrapOutboundIn(data), promise: promise))
    }

    package func flush(context: ChannelHandlerContext) {
        flushed += unflushed
        unflushed.removeAll()
        if state == .open { encrypt(context) }
        context.flush()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .input:
            promise?.fail(ChannelError.operationUnsupported)
        case .output:
            switch state {
            case .handshaking: outputEnds.append(promise)
            case .open: closeOutput(context, promise)
            case .closing, .closed: context.close(mode: .output, promise: promise)
            }
        case .all:
            switch state {
            case .open: beginClosing(context, promise)
            case .closing: if let promise { ends.append(promise) }
            case .handshaking, .closed:
                state = .closed
                dropWrites(ChannelError.ioOnClosedChannel)
                context.close(promise: promise)
            }
        }
    }

    // MARK: Handshake

    private func shakeHands(_ context: ChannelHandlerContext) {
        guard state == .handshaking else { return }
        let outcome = session.shakeHands()
        send(context)
        switch outcome {
        case .needsInput: break
        case .failed(let error): fail(error, context)
        case .ended: fail(.handshakeFailed(reason: "the peer ended it"), context)
        case .done:
            state = .open
            context.fireUserInboundEventTriggered(
                TLSHandshake(version: session.version, peerCertificate: isServer ? nil : session.peerCertificate))
            encrypt(context)
            context.flush()
            let promises = outputEnds
            outputEnds.removeAll()
            for promise in promises { close(context: context, mode: .output, promise: promise) }
        }
    }

    // MARK: Input

    /// Passes on everything that can be decrypted.
    private func decrypt(_ context: ChannelHandlerContext) {
        var bytes = ByteBuffer()
        var outcome = session.read(into: &bytes)
        while case .done = outcome { outcome = session.read(into: &bytes) }
        // Alerts, and answers to new keys. A peer that takes none while it asks for more would fill the memory.
        let answer = session.output()
        if answer.readableBytes > 0 {
            guard context.channel.isWritable else {
                return fail(.protocolViolation(reason: "it does not take what it asks for"), context)
            }
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
        if bytes.readableBytes > 0, state == .open {
            // Whoever keeps a part of a request keeps no more than that.
            bytes.shrinkBufferCapacity(to: bytes.readableBytes)
            hasPassedOn = true
            context.fireChannelRead(wrapInboundOut(bytes))
        }
        switch outcome {
        case .done, .needsInput: break
        case .failed(let error): if state != .closed { fail(error, context) }
        case .ended: endInput(context)
        }
    }

    private func endInput(_ context: ChannelHandlerContext) {
        guard !isInputEnded else { return }
        isInputEnded = true
        switch state {
        case .handshaking, .closed: break
        case .closing: if isSent { finish(context) }
        case .open:
            if (try? context.channel.syncOptions?.getOption(.allowRemoteHalfClosure)) == true {
                context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            } else {
                beginClosing(context, nil)
            }
        }
    }

    // MARK: Output

    /// Sends what OpenSSL wrote of its own accord.
    private func send(_ context: ChannelHandlerContext) {
        let bytes = session.output()
        if bytes.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
    }

    /// Writes what was flushed, without flushing it.
    private func encrypt(_ context: ChannelHandlerContext) {
        guard state == .open, !flushed.isEmpty else { return }
        let writes = flushed
        flushed.removeAll(keepingCapacity: true)
        var promise: EventLoopPromise<Void>?
        var records: [ByteBuffer] = []
        for write in writes {
            promise.setOrCascade(to: write.promise)
            let end = records.endIndex - 1
            if end >= 0, records[end].readableBytes + write.bytes.readableBytes <= Self.recordBytes {
                records[end].writeImmutableBuffer(write.bytes)
            } else {
                records.append(write.bytes)
            }
        }
        for (index, record) in records.enumerated() {
            let outcome = session.write(record)
            guard case .done = outcome else {
                let error = if case .failed(let error) = outcome { error } else { Self.unwritable }
                promise?.fail(error)
                return fail(error, context)
            }
            let isLast = index == records.endIndex - 1
            context.write(wrapOutboundOut(session.output()), promise: isLast ? promise : nil)
        }
    }

    private static let unwritable = TLSError.protocolViolation(reason: "nothing can be sent")

    private func closeOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        endOutput(context, nil)
        context.close(mode: .output, promise: promise)
    }

    /// Sends everything that was written, and the last alert.
    private func endOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        flushed += unflushed
        unflushed.removeAll()
        encrypt(context)
        if state == .open, !isOutputEnded {
            isOutputEnded = true
            session.close()
        }
        context.writeAndFlush(wrapOutboundOut(session.output()), promise: promise)
    }

    // MARK: The end

    /// Closes the connection once the peer has everything, as far as can be known.
    private func beginClosing(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        if let promise { ends.append(promise) }
        let sent = context.eventLoop.makePromise(of: Void.self)
        endOutput(context, sent)
        guard state == .open else { return succeedEnds() }
        state = .closing
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingTime) { [self] in finish(context) }
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            isSent = true
            if isInputEnded { finish(context) }
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        guard state == .closing else { return }
        state = .closed
        timer?.cancel()
        context.close(promise: nil)
        succeedEnds()
    }

    /// Ends the connection because of an error.
    private func fail(_ error: TLSError, _ context: ChannelHandlerContext) {
        guard state != .closed else { return }
        state = .closed
        timer?.cancel()
        dropWrites(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
        succeedEnds()
    }

    private func dropWrites(_ error: any Error) {
        let writes = flushed + unflushed
        let promises = outputEnds
        flushed.removeAll()
        unflushed.removeAll()
        outputEnds.removeAll()
        for write in writes { write.promise?.fail(error) }
        for promise in promises { promise?.fail(error) }
    }

    private func succeedEnds() {
        let promises = ends
        ends.removeAll()
        for promise in promises { promise.succeed() }
    }
}
