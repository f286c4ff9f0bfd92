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
/// The channel is asked for its descriptor once, because looking it up each time costs about what the shortcut saves.
/// The descriptor is used on the event loop and while the channel is active only: a channel closes it and becomes
/// inactive in one step on that thread, so it cannot be that of another connection meanwhile.
struct ConnectionSocket {
    private let channel: any Channel
    private let descriptor: NIOBSDSocket.Handle

    /// Makes the socket of a channel; `nil` for a channel that shows none.
    init?(_ channel: any Channel) {
        let operations = channel.pipeline.syncOperations
        guard let descriptor = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, { $0 })
        else { return nil }
        self.channel = channel
        self.descriptor = descriptor
    }

    /// Hands over what the socket takes now.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: How many it took; 0 for a full or closed socket and for any error, which whoever writes next will
    ///   meet.
    func take(_ bytes: ByteBuffer) -> Int {
        guard channel.isActive else { return 0 }
        return max(0, bytes.withUnsafeReadableBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) })
    }

    #if os(Linux)
        private static let flags = Int32(MSG_NOSIGNAL)
    #else
        // NIO tells the sockets of other systems once to raise no signal.
        private static let flags: Int32 = 0
    #endif
}
