import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The socket of a connection, for bytes that need not wait in the pipeline.
///
/// Asking the channel anew each time costs about what the shortcut saves, so what answers is kept; it refuses once the
/// channel has closed its descriptor.
struct IngressSocket {
    private let core: any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>

    /// Makes the socket of a channel; `nil` for a channel that shows none.
    init?(_ channel: any Channel) {
        guard let core = channel._channelCore as? any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle> else {
            return nil
        }
        self.core = core
    }

    /// Hands over what the socket takes now.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: How many it took; 0 for a full socket and for any error, which whoever writes next will meet.
    func take(_ bytes: ByteBuffer) -> Int {
        let count = try? core.withUnsafeTransport { descriptor in
            bytes.withUnsafeReadableBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) }
        }
        return max(0, count ?? 0)
    }

    #if os(Linux)
        private static let flags = Int32(MSG_NOSIGNAL)
    #else
        // NIO tells the sockets of other systems once to raise no signal.
        private static let flags: Int32 = 0
    #endif
}
