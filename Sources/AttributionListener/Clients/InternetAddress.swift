#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// An IPv4 or IPv6 address as one number.
///
/// IPv4 is stored as IPv4-mapped IPv6 (`::ffff:a.b.c.d`), so that both spellings of one address are equal.
package struct InternetAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 128 bits of the IPv6 form, first byte most significant.
    package let bits: UInt128

    /// The longest spelling, an IPv6 address that ends in an IPv4 one.
    private static let longest = 45

    /// Reads an address without port or zone.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let address = text.withUTF8({ InternetAddress(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = address
    }

    /// Reads an address without port or zone.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count <= Self.longest else { return nil }
        if let bits = Self.parse(text, AF_INET, as: UInt32.self) {
            self.bits = 0xffff << 32 | UInt128(bits)
        } else if let bits = Self.parse(text, AF_INET6, as: UInt128.self) {
            self.bits = bits
        } else {
            return nil
        }
    }

    private init(bits: UInt128) {
        self.bits = bits
    }

    /// Takes the bytes of an IPv4 or IPv6 address, most significant first.
    init(bytes: UnsafeRawBufferPointer) {
        let bits = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.bits = bytes.count == 4 ? 0xffff << 32 | bits : bits
    }

    /// Whether this is an IPv4 address.
    package var isV4: Bool { bits >> 32 == 0xffff }

    /// Whether only the machine itself has the address: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool { isV4 ? bits >> 24 & 0xff == 127 : bits == 1 }

    /// The address itself for IPv4, its /64 network for IPv6: what one client usually has.
    package var clientNetwork: InternetAddress {
        isV4 ? self : InternetAddress(bits: (bits >> 64) << 64)
    }

    /// The text of ``clientNetwork``: `192.0.2.1`, `2001:db8:0:7::/64`.
    package var clientText: String {
        isV4 ? description : clientNetwork.description + "/64"
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

    /// Reads what `inet_pton` takes: leading zeros, which some parsers read as octal, are refused.
    private static func parse<Bits: FixedWidthInteger>(
        _ text: UnsafeRawBufferPointer, _ family: CInt, as _: Bits.Type
    ) -> Bits? {
        guard !text.contains(0) else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count + 1) { copy in
            _ = copy.initialize(from: text)
            copy.initializeElement(at: text.count, to: 0)
            var bits = Bits.zero
            let isAddress = copy.withMemoryRebound(to: CChar.self) {
                $0.baseAddress.map { inet_pton(family, $0, &bits) } == 1
            }
            return isAddress ? Bits(bigEndian: bits) : nil
        }
    }
}

/// A block of addresses in CIDR form, or one address.
package struct InternetNetwork: Hashable, Sendable {
    private let base: UInt128
    private let mask: UInt128

    /// Reads `192.0.2.1`, `10.0.0.0/8` or `2001:db8::/32`.
    ///
    /// Bits after the prefix are ignored.
    package init(_ text: String) throws(IngressError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = InternetAddress(parts[0]), parts.count <= 2 else { throw .malformedNetwork(text) }
        let width = address.isV4 ? 32 : 128
        var prefix = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]), given <= width
            else { throw .malformedNetwork(text) }
            prefix = given
        }
        mask = UInt128.max << UInt128(width - prefix)
        base = address.bits & mask
    }

    /// Whether an address is in the block.
    package func contains(_ address: InternetAddress) -> Bool {
        address.bits & mask == base
    }
}

extension String {
    /// Whether a Host field, `name` or `name:port`, names this machine itself.
    package var isLoopbackAuthority: Bool {
        // Enough for an IPv6 address with its port. Checked because clients may send 16 KiB with every request.
        guard utf8.count <= 64 else {
            return false
        }
        var host = utf8[...]
        if let colon = host.lastIndex(of: UInt8(ascii: ":")),
            host[host.index(after: colon)...].allSatisfy({ (0x30...0x39).contains($0) })
        {
            host = host[..<colon]
        }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        }
        return host.elementsEqual("localhost".utf8) { $0 | 0x20 == $1 }
            || InternetAddress(Substring(host))?.isLoopback == true
    }
}
