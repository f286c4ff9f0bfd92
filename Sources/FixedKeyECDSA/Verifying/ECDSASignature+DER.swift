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
