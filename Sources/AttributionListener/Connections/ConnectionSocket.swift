import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The socket of a connection, for bytes that need not wait in the pipeline, and for what the system keeps of them.
///
/// The descriptor is looked up once, because looking it up each time costs about what the shortcut saves. It is used
/// only on the event loop while the channel is active: a channel closes it and becomes inactive in one step on that
/// thread, so it cannot belong to another connection by then.
struct ConnectionSocket {
    private let channel: any Channel
    private let descriptor: NIOBSDSocket.Handle

    /// Makes the socket of a channel; `nil` for a channel that does not expose one.
    init?(_ channel: any Channel) {
        let operations = channel.pipeline.syncOperations
        guard let descriptor = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, { $0 })
        else { return nil }
        self.channel = channel
        self.descriptor = descriptor
    }

    /// Writes as much as the socket takes now.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: How many it took; 0 for a full or closed socket and for any error, which the next write will report.
    func take(_ bytes: ByteBuffer) -> Int {
        guard channel.isActive else { return 0 }
        return max(0, bytes.withUnsafeReadableBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) })
    }

    /// How many bytes the system keeps that the other end has not acknowledged; 0 where it cannot tell.
    var queued: Int {
        #if os(Linux)
            var count: CInt = 0
            guard channel.isActive, ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
            return Int(count)
        #else
            return 0
        #endif
    }

    #if os(Linux)
        private static let flags = Int32(MSG_NOSIGNAL)
    #else
        // On other systems NIO sets SO_NOSIGPIPE on each socket.
        private static let flags: Int32 = 0
    #endif
}
