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
            r: UInt256(bigEndian: raw.extracting(0..<size)), s: UInt256(bigEndian: raw.extracting(size..<2 * size)),
            curve: curve)
    }

    /// The signature in the form r‖s.
    package var raw: [UInt8] {
        r.bigEndianBytes(curve.byteCount) + s.bigEndianBytes(curve.byteCount)
    }

    package var der: [UInt8] {
        let integers = [r, s].flatMap { number in
            let digits = number.bigEndianBytes(curve.byteCount).drop { $0 == 0 }
            // A leading zero keeps the sign bit clear.
            let content = (digits.first ?? 0) < 0x80 ? Array(digits) : [0] + digits
            return [0x02, UInt8(content.count)] + content
        }
        return [0x30, UInt8(integers.count)] + integers
    }
}

extension ECDSASignature {
    /// Reads a signature in DER, `SEQUENCE { r INTEGER, s INTEGER }`.
    ///
    /// Strictly: one-byte lengths, non-negative integers without superfluous zeros, and no trailing bytes. `nil` for
    /// anything else and for numbers out of range. An unreadable signature is invalid.
    ///
    /// - Parameters:
    ///   - der: The bytes of the signature.
    ///   - curve: The curve of the key to verify with.
    /// - SeeAlso: [RFC 3279, section 2.2.3](https://www.rfc-editor.org/rfc/rfc3279#section-2.2.3)
    package init?(der: Span<UInt8>, on curve: ECDSACurve) {
        // The content of the sequence has at most 2 · 35 bytes, so its length fits in one byte.
        guard der.count >= 2, der.count <= 72, der[0] == 0x30, Int(der[1]) == der.count - 2,
            let (r, rest) = Self.integer(in: der, from: 2, size: curve.byteCount),
            let (s, end) = Self.integer(in: der, from: rest, size: curve.byteCount),
            end == der.count
        else { return nil }
        self.init(r: r, s: s, curve: curve)
    }

    /// Reads an integer of up to `size` bytes that starts at `start`; returns it and the offset after it.
    private static func integer(in der: Span<UInt8>, from start: Int, size: Int) -> (UInt256, Int)? {
        guard der.count - start > 2, der[start] == 0x02 else { return nil }
        let end = start + 2 + Int(der[start + 1])
        var first = start + 2
        guard first < end, end <= der.count, der[first] < 0x80 else { return nil }
        if der[first] == 0 {
            // A leading zero is allowed only to keep the sign bit clear.
            first += 1
            guard first < end, der[first] >= 0x80 else { return nil }
        }
        guard end - first <= size else { return nil }
        return (UInt256(bigEndian: der.extracting(first..<end)), end)
    }
}

/// The SHA-256 digest of a signed message.
///
/// P-192 uses only the leftmost 192 bits.
///
/// - SeeAlso: [SEC 1, section 4.1.4](https://www.secg.org/sec1-v2.pdf)
package struct MessageDigest: Equatable, Sendable, BitwiseCopyable {
    /// The digest as a big-endian number.
    let number: UInt256

    /// Makes a digest from its bytes.
    ///
    /// - Parameter bytes: Exactly 32 bytes.
    package init(_ bytes: Span<UInt8>) {
        precondition(bytes.count == 32, "A SHA-256 digest has 32 bytes, not \(bytes.count).")
        number = UInt256(bigEndian: bytes)
    }
}
