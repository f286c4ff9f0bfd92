#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An IPv4 or IPv6 address as one number.
///
/// IPv4 is held as IPv4-mapped IPv6 (`::ffff:a.b.c.d`), so that both spellings of one address are equal.
package struct InternetAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 128 bits of the IPv6 form, the first byte in the highest place.
    package let bits: UInt128

    /// Reads an address without port or zone.
    ///
    /// - Parameter text: `192.0.2.1` or `2001:db8::1`.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            bits = bytes.prefix(4).reduce(0xffff) { $0 << 8 | UInt128($1) }
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            bits = bytes.reduce(0) { $0 << 8 | UInt128($1) }
        } else {
            return nil
        }
    }

    private init(bits: UInt128) {
        self.bits = bits
    }

    /// Whether this is an IPv4 address.
    package var isV4: Bool { bits >> 32 == 0xffff }

    /// Whether only the machine itself has the address: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool { isV4 ? bits >> 24 & 0xff == 127 : bits == 1 }

    /// The address itself for IPv4, its /64 network for IPv6: what one client can be expected to hold.
    package var clientNetwork: InternetAddress {
        isV4 ? self : InternetAddress(bits: (bits >> 64) << 64)
    }

    /// The canonical text, in lower case and shortened for IPv6.
    package var description: String {
        if isV4 {
            return stride(from: 24, through: 0, by: -8).map { String((bits >> UInt128($0)) & 0xff) }
                .joined(separator: ".")
        }
        let bytes = stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt128($0)) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
