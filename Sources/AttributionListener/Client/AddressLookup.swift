import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The system's lookup of names, for those who judge an address before they connect to it.
package enum AddressLookup {
    /// An address of a name.
    package struct Result: Hashable, Sendable {
        /// The address.
        package let address: InternetAddress
        /// Whether it is an IPv4 address that was given as an IPv6 one, `::ffff:a.b.c.d`.
        package let isMapped: Bool

        package init(_ address: InternetAddress, isMapped: Bool) {
            self.address = address
            self.isMapped = isMapped
        }
    }

    /// Looks a name up, in the order in which the system would connect to its addresses; an address is its own.
    ///
    /// - Throws: ``HTTPClient/Failure/noAddress``, or ``HTTPClient/Failure/tooSlow`` after the limit.
    package static func addresses(of host: String, within limit: Duration) async throws -> [Result] {
        // Looking up cannot be cancelled, so it can be abandoned.
        try await NIOThreadPool.singleton
            .runIfActive(eventLoop: MultiThreadedEventLoopGroup.singleton.any()) { try lookUp(host) }
            .get(until: .now() + TimeAmount(limit))
    }

    private static func lookUp(_ host: String) throws -> [Result] {
        var hints = addrinfo()
        hints.ai_protocol = CInt(IPPROTO_TCP)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { throw HTTPClient.Failure.noAddress }
        defer { freeaddrinfo(first) }
        var results: [Result] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let result = result(entry), !results.contains(result) else { continue }
            results.append(result)
        }
        guard !results.isEmpty else { throw HTTPClient.Failure.noAddress }
        return results
    }

    private static func result(_ entry: addrinfo) -> Result? {
        guard let bytes = UnsafeRawPointer(entry.ai_addr) else { return nil }
        // Behind the family and the port; in front of the IPv6 address is its flow, too.
        switch entry.ai_family {
        case AF_INET:
            return Result(InternetAddress(bytes: UnsafeRawBufferPointer(start: bytes + 4, count: 4)), isMapped: false)
        case AF_INET6:
            let address = InternetAddress(bytes: UnsafeRawBufferPointer(start: bytes + 8, count: 16))
            return Result(address, isMapped: address.isV4)
        default: return nil
        }
    }
}
