/// An ECDSA signature (r, s) with both numbers in the range of its curve.
///
/// Both numbers are in 1…n−1. Both s and n − s are accepted, as ECDSA specifies.
///
/// - SeeAlso: [SEC 1, section 4.1](https://www.secg.org/sec1-v2.pdf)
package struct ECDSASignature: Equatable, Sendable, BitwiseCopyable {
    /// The curve whose order bounds r and s.
    package let curve: ECDSACurve

    let r: UInt256
    let s: UInt256

    /// Makes a signature if both numbers are in 1…n−1.
    init?(r: UInt256, s: UInt256, curve: ECDSACurve) {
        let order = curve.order
        guard !r.isZero, !s.isZero, r < order, s < order else { return nil }
        (self.r, self.s, self.curve) = (r, s, curve)
    }

    /// Reads a signature in the form r‖s, used in JSON Web Signatures.
    ///
    /// Two big-endian numbers of 32 bytes each (P-256) or 24 bytes each (P-192), `nil` for any other length or a number
    /// out of range. An unreadable signature is invalid.
    ///
    /// - Parameters:
    ///   - raw: The bytes of the signature.
    ///   - curve: The curve of the key to verify with.
    /// - SeeAlso: [RFC 7518, section 3.4](https://www.rfc-editor.org/rfc/rfc7518#section-3.4)
    package init?(raw: Span<UInt8>, on curve: ECDSACurve) {
        let size = curve.byteCount
        guard raw.count == 2 * size else { return nil }
        self.init(
            r: UInt256(bigEndian: raw.extracting(0..<size)),
            s: UInt256(bigEndian: raw.extracting(size..<2 * size)),
            curve: curve
        )
    }
}
