/// A block of addresses in CIDR form, or one address.
package struct InternetNetwork: Hashable, Sendable {
    private let base: UInt128
    private let mask: UInt128

    /// Reads `192.0.2.1`, `10.0.0.0/8` or `2001:db8::/32`.
    ///
    /// Bits after the prefix are ignored.
    ///
    /// - Parameter text: The network as text.
    /// - Throws: ``IngressError/malformedNetwork(_:)``.
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
    ///
    /// - Parameter address: The address.
    /// - Returns: `true` when its leading bits are those of the network.
    package func contains(_ address: InternetAddress) -> Bool {
        address.bits & mask == base
    }
}
