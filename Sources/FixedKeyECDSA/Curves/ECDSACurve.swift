/// A curve whose signatures can be verified.
package enum ECDSACurve: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// NIST P-256, also called secp256r1 and prime256v1.
    ///
    /// - SeeAlso: [SEC 2, section 2.4.2](https://www.secg.org/sec2-v2.pdf)
    case p256

    /// NIST P-192, also called secp192r1 and prime192v1.
    ///
    /// - SeeAlso: [SEC 2 version 1, section 2.5.2](https://www.secg.org/SEC2-Ver-1.0.pdf)
    case p192

    /// Bits of the prime p and of the order n.
    var bitCount: Int {
        switch self {
        case .p256: 256
        case .p192: 192
        }
    }

    /// Bytes of a coordinate, of r and of s.
    var byteCount: Int { bitCount / 8 }

    /// The order n of the group of points.
    var order: UInt256 {
        switch self {
        case .p256: P256.order.value
        case .p192: P192.order.value
        }
    }
}
