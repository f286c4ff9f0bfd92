import NIOCore
import NIOEmbedded
import NIOSSL
import NIOTLS
import TLS
import TestSupport
import Testing

@Suite("Connections of TLS, with BoringSSL at the other end")
struct TLSHandlerTests {
    @Test("What each end writes reaches the other, whatever arrives at once", arguments: [1, 7, 1_000, Int.max])
    func pieces(size: Int) throws {
        for version in [TLSVersion.tlsv12, .tlsv13] {
            let peers = try Peers.serving(to: version)
            try peers.carry(inPiecesOf: size)
            #expect(peers.events.handshake?.version == (version == .tlsv12 ? "TLSv1.2" : "TLSv1.3"))
            #expect(peers.theirEvents.theirHandshake == TLSUserEvent.handshakeCompleted(negotiatedProtocol: "http/1.1"))
            let request = peers.send("a request", from: peers.theirs)
            let answer = peers.send("an answer", from: peers.ours)
            try peers.carry(inPiecesOf: size)
            try request.wait()
            try answer.wait()
            #expect(peers.events.text == "a request")
            #expect(peers.theirEvents.text == "an answer")
            #expect(peers.events.errors.isEmpty && peers.theirEvents.errors.isEmpty)
        }
    }

    @Test(
        "HTTP/1.1 is selected where it is offered; without it the connection goes on without ALPN",
        arguments: [
            (["h2", "http/1.1"], "http/1.1"), (["h2"], nil), (["http/1.0", "h"], nil), ([], nil),
        ] as [([String], String?)])
    func protocols(_ offered: [String], _ selected: String?) throws {
        let peers = try Peers.serving(protocols: offered)
        try peers.carry()
        #expect(peers.theirEvents.theirHandshake == TLSUserEvent.handshakeCompleted(negotiatedProtocol: selected))
    }

    @Test("What is written before the handshake follows it, in order, and large writes come whole")
    func order() throws {
        let peers = try Peers.serving()
        var expected = ""
        var written: [EventLoopFuture<Void>] = []
        for number in 0..<2_000 {
            let text = number % 500 == 499 ? String(repeating: "\(number % 10)", count: 100_000) : "\(number) "
            expected += text
            written.append(peers.ours.write(ByteBuffer(string: text)))
            if number % 3 == 0 { peers.ours.flush() }
            if number == 1_000 { try peers.carry() }
        }
        peers.ours.flush()
        try peers.carry()
        for future in written { try future.wait() }
        #expect(peers.theirEvents.text == expected)
    }

    @Test("A changed record ends the connection, and nothing of it is passed on")
    func changed() throws {
        var peers = try Peers.serving()
        try peers.carry()
        peers.change = { bytes in
            var bytes = bytes
            let last = bytes.writerIndex - 1
            if let byte = bytes.getInteger(at: last, as: UInt8.self) { bytes.setInteger(byte ^ 1, at: last) }
            return bytes
        }
        _ = peers.send("a request", from: peers.theirs)
        try peers.carry()
        #expect(peers.events.text.isEmpty)
        #expect(peers.events.errors.count == 1)
        guard case .protocolViolation? = peers.events.errors.first as? TLSError else {
            Issue.record("found \(peers.events.errors)")
            return
        }
        #expect(!peers.ours.isActive)
    }

    @Test(
        "Bytes that are not TLS end the handshake",
        arguments: ["POST / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{7f}\u{7f}x"])
    func noTLS(text: String) throws {
        let peers = try Peers.serving()
        let waiting = peers.send("never sent", from: peers.ours)
        peers.ours.pipeline.fireChannelRead(ByteBuffer(string: text))
        peers.ours.pipeline.fireChannelReadComplete()
        guard case .handshakeFailed? = peers.events.errors.first as? TLSError else {
            Issue.record("found \(peers.events.errors)")
            return
        }
        #expect(!peers.ours.isActive)
        #expect(throws: TLSError.self) { try waiting.wait() }
    }

    @Test("The peer's last alert closes the input, and the answer is still sent")
    func halfClosed() throws {
        let peers = try Peers.serving()
        try peers.carry()
        _ = peers.send("a request", from: peers.theirs)
        peers.theirs.close(mode: .output, promise: nil)
        try peers.carry()
        #expect(peers.events.text == "a request")
        #expect(peers.events.isInputClosed)
        #expect(peers.ours.isActive)
        let answer = peers.send("an answer", from: peers.ours)
        #expect((try peers.ours.readOutbound(as: ByteBuffer.self)?.readableBytes ?? 0) > "an answer".utf8.count)
        try answer.wait()
        #expect(peers.events.errors.isEmpty)
    }

    @Test("Where half-closed connections are not allowed, the peer's last alert closes the connection")
    func notHalfClosed() throws {
        let peers = try Peers.serving(allowsHalfClosure: false)
        try peers.carry()
        peers.theirs.close(mode: .output, promise: nil)
        try peers.carry()
        #expect(!peers.ours.isActive)
        #expect(peers.events.errors.isEmpty)
    }

    @Test("Closing sends what was flushed and the last alert, and waits for the peer's")
    func closing() throws {
        let peers = try Peers.serving()
        try peers.carry()
        let answer = peers.send("the last answer", from: peers.ours)
        let closed = peers.ours.close()
        #expect(peers.ours.isActive)
        try peers.carry()
        #expect(peers.theirEvents.text == "the last answer")
        #expect(!peers.ours.isActive)
        try answer.wait()
        try closed.wait()
        #expect(peers.events.errors.isEmpty && peers.theirEvents.errors.isEmpty)
    }

    @Test("A peer that does not answer the last alert is cut off after a second")
    func silence() throws {
        let peers = try Peers.serving()
        try peers.carry()
        let closed = peers.ours.close()
        peers.ours.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(peers.ours.isActive)
        peers.ours.embeddedEventLoop.advanceTime(by: .milliseconds(2))
        #expect(!peers.ours.isActive)
        try closed.wait()
    }

    @Test("A connection that ends without the last alert was cut", arguments: [true, false])
    func cut(_ isEstablished: Bool) throws {
        let peers = try Peers.serving()
        if isEstablished { try peers.carry() }
        peers.ours.pipeline.fireChannelInactive()
        let expected = isEstablished ? TLSError.uncleanShutdown : .handshakeFailed(reason: "the connection ended")
        #expect(peers.events.errors.map { $0 as? TLSError } == [expected])
        #expect(peers.events.isInactive)
    }

    @Test("The end of a socket without the last alert closes the connection at once, and is said once")
    func endOfInput() throws {
        let peers = try Peers.serving()
        try peers.carry()
        peers.ours.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        _ = peers.ours.close()
        #expect(!peers.ours.isActive)
        #expect(peers.events.errors.map { $0 as? TLSError } == [.uncleanShutdown])
        #expect(peers.events.isInputClosed)
    }

    @Test("A server that the system does not trust is refused", arguments: ["localhost", "127.0.0.1"])
    func distrust(name: String) throws {
        let peers = try Peers.asking(for: name)
        let request = peers.send("a request", from: peers.ours)
        try peers.carry()
        guard case .handshakeFailed? = peers.events.errors.first as? TLSError else {
            Issue.record("found \(peers.events.errors)")
            return
        }
        #expect(throws: TLSError.self) { try request.wait() }
        #expect(peers.theirEvents.text.isEmpty)
        #expect(!peers.ours.isActive)
    }
}
