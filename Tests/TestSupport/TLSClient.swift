import NIOCore
import NIOPosix
package import NIOSSL

/// A TLS client that posts over NIO and reports the server's certificate and its answer.
package struct TLSClient: Sendable {
    /// The certificate the server showed and the bytes of its answer.
    package struct Report: Sendable {
        package let certificate: NIOSSLCertificate?
        package let text: String
    }

    package let port: Int
    package var minimum: TLSVersion
    package var maximum: TLSVersion?
    /// Whether it says that it sends no more before it reads.
    private let endsSending: Bool

    package init(
        port: Int, minimum: TLSVersion = .tlsv12, maximum: TLSVersion? = nil, endsSending: Bool = false
    ) {
        self.port = port
        self.endsSending = endsSending
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Sends `bytes` and reads until the end of one JSON body or of the connection.
    package func exchange(_ bytes: String) async throws -> Report {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .noHostnameVerification
        configuration.minimumTLSVersion = minimum
        configuration.maximumTLSVersion = maximum
        configuration.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        let (certificates, shown) = AsyncStream<NIOSSLCertificate?>.makeStream()
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(60))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(
                        context: context,
                        serverHostname: nil,
                        customVerificationCallback: { chain, verdict in
                            shown.yield(chain.first)
                            verdict.succeed(.certificateVerified)
                        }
                    )
                    try channel.pipeline.syncOperations.addHandler(tls)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: endsSending))
                }
            }
        let end = channel.channel.eventLoop.scheduleTask(in: .seconds(60)) { channel.channel.close(promise: nil) }
        defer { end.cancel() }
        let text = try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: bytes))
            if endsSending { outbound.finish() }
            var text = ""
            for try await part in inbound {
                text += String(buffer: part)
                if text.hasSuffix("}") { break }
            }
            return text
        }
        shown.finish()
        var certificate: NIOSSLCertificate?
        for await shown in certificates { certificate = shown }
        return Report(certificate: certificate, text: text)
    }
}
