#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
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
    ///
    /// - Parameter text: `192.0.2.1` or `2001:db8::1`.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let address = text.withUTF8({ InternetAddress(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = address
    }

    /// Reads an address without port or zone.
    ///
    /// - Parameter text: `192.0.2.1` or `2001:db8::1`, in ASCII.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count <= Self.longest else { return nil }
        guard let bits = Self.v4(text) ?? Self.v6(text) else { return nil }
        self.bits = bits
    }

    private init(bits: UInt128) {
        self.bits = bits
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

    /// Four numbers of at most 255 without leading zeros, which some parsers read as octal.
    private static func v4(_ text: UnsafeRawBufferPointer) -> UInt128? {
        var (bits, number, digits, numbers) = (UInt32(0), UInt32(0), 0, 0)
        for index in 0...text.count {
            if index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit < 10 {
                guard digits == 0 || number > 0 else { return nil }
                number = number * 10 + UInt32(digit)
                digits += 1
                guard number <= 255 else { return nil }
            } else {
                guard digits > 0, index == text.count || text[index] == UInt8(ascii: ".") else { return nil }
                bits = bits << 8 | number
                (number, digits, numbers) = (0, 0, numbers + 1)
                guard numbers <= 4 else { return nil }
            }
        }
        return numbers == 4 ? 0xffff << 32 | UInt128(bits) : nil
    }

    private static func v6(_ text: UnsafeRawBufferPointer) -> UInt128? {
        guard text.contains(UInt8(ascii: ":")), !text.contains(0) else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count + 1) { copy in
            _ = copy.initialize(from: text)
            copy.initializeElement(at: text.count, to: 0)
            var bits = UInt128(0)
            let isAddress = copy.withMemoryRebound(to: CChar.self) {
                $0.baseAddress.map { inet_pton(AF_INET6, $0, &bits) } == 1
            }
            return isAddress ? UInt128(bigEndian: bits) : nil
        }
    }
}
