import NIOCore
import NIOEmbedded
import NIOSSL
import NIOTLS
import TLS

/// Two ends of a connection without sockets: ours, and one of BoringSSL's.
struct Peers {
    let ours = EmbeddedChannel()
    let theirs = EmbeddedChannel()
    let events = Events()
    let theirEvents = Events()
    /// Changes what they send on its way to us.
    var change: (ByteBuffer) -> ByteBuffer = { $0 }

    init(_ handler: TLSHandler, _ theirHandler: some ChannelHandler, allowsHalfClosure: Bool = true) throws {
        ours.allowRemoteHalfClosure = allowsHalfClosure
        try ours.pipeline.syncOperations.addHandlers([handler, events])
        try theirs.pipeline.syncOperations.addHandlers([theirHandler, theirEvents])
        try ours.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
        try theirs.connect(to: .init(ipAddress: "127.0.0.1", port: 2)).wait()
    }

    /// Ours serves.
    static func serving(
        to version: TLSVersion = .tlsv13, protocols: [String] = ["http/1.1"], allowsHalfClosure: Bool = true
    ) throws -> Peers {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = version
        configuration.maximumTLSVersion = version
        configuration.applicationProtocols = protocols
        return try Peers(
            TLSHandler(server: TLSContext.server(certificateChain: Identity.chain(), privateKey: Identity.key())),
            NIOSSLClientHandler(context: NIOSSLContext(configuration: configuration), serverHostname: nil),
            allowsHalfClosure: allowsHalfClosure)
    }

    /// Ours asks.
    static func asking(for name: String) throws -> Peers {
        let chain = try NIOSSLCertificate.fromPEMBytes(Identity.chain())
        let key = try NIOSSLPrivateKey(bytes: Identity.key(), format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        return try Peers(
            TLSHandler(client: TLSContext.client(), serverName: name),
            NIOSSLServerHandler(context: NIOSSLContext(configuration: configuration)))
    }

    /// Carries bytes between the two until neither has any.
    ///
    /// - Parameter size: How many arrive at once at most.
    /// - Throws: What a pipeline throws.
    func carry(inPiecesOf size: Int = .max) throws {
        var isMoving = true
        while isMoving {
            isMoving = false
            while let bytes = try theirs.readOutbound(as: ByteBuffer.self) {
                isMoving = try feed(change(bytes), to: ours, size) || isMoving
            }
            while let bytes = try ours.readOutbound(as: ByteBuffer.self) {
                isMoving = try feed(bytes, to: theirs, size) || isMoving
            }
        }
    }

    private func feed(_ bytes: ByteBuffer, to channel: EmbeddedChannel, _ size: Int) throws -> Bool {
        var rest = bytes
        while let piece = rest.readSlice(length: min(size, rest.readableBytes)), piece.readableBytes > 0 {
            channel.pipeline.fireChannelRead(piece)
            channel.pipeline.fireChannelReadComplete()
        }
        return bytes.readableBytes > 0
    }

    /// Writes at one end what the other has to read.
    func send(_ text: String, from channel: EmbeddedChannel) -> EventLoopFuture<Void> {
        channel.writeAndFlush(ByteBuffer(string: text))
    }
}

/// Everything that reaches the end of a pipeline.
final class Events: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private(set) var text = ""
    private(set) var handshake: TLSHandshake?
    private(set) var theirHandshake: TLSUserEvent?
    private(set) var isInputClosed = false
    private(set) var isInactive = false
    private(set) var errors: [any Error] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        handshake = event as? TLSHandshake ?? handshake
        theirHandshake = event as? TLSUserEvent ?? theirHandshake
        isInputClosed = isInputClosed || event as? ChannelEvent == .inputClosed
    }

    func channelInactive(context: ChannelHandlerContext) {
        isInactive = true
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        errors.append(error)
    }
}
