/// A public key: a point that is known to be on its curve.
///
/// Both curves have prime order, so every point other than infinity, which cannot be encoded here, is a valid key.
package struct ECDSAPublicKey: Equatable, Sendable {
    package let curve: ECDSACurve

    private let x: UInt256
    private let y: UInt256

    /// Reads an uncompressed point.
    ///
    /// The byte 0x04, then x and y, big-endian, of 32 bytes each (P-256) or 24 bytes each (P-192).
    ///
    /// - Parameters:
    ///   - x963: The bytes of the point.
    ///   - curve: The curve that the point must be on.
    /// - Throws: `PublicKeyError`.
    /// - SeeAlso: [SEC 1, section 2.3.4](https://www.secg.org/sec1-v2.pdf)
    package init(x963: Span<UInt8>, on curve: ECDSACurve) throws(PublicKeyError) {
        let size = curve.byteCount
        guard x963.count == 1 + 2 * size else {
            throw .wrongLength(expected: 1 + 2 * size, found: x963.count)
        }
        guard x963[0] == 0x04 else { throw .notUncompressed(firstByte: x963[0]) }
        self.curve = curve
        x = UInt256(bigEndian: x963.extracting(1..<1 + size))
        y = UInt256(bigEndian: x963.extracting(1 + size..<1 + 2 * size))
        switch curve {
        case .p256: try check(P256.self)
        case .p192: try check(P192.self)
        }
    }

    private func check<C: Curve>(_: C.Type) throws(PublicKeyError) {
        guard x < C.Field.prime, y < C.Field.prime else { throw .coordinateOutOfRange }
        let point = point(on: C.self)
        let three = C.Field.one + .one + .one
        guard point.y.squared == (point.x.squared - three) * point.x + C.b else { throw .notOnCurve }
    }

    /// The point with coordinates in the field of its curve.
    func point<C: Curve>(on _: C.Type) -> AffinePoint<C.Field> {
        AffinePoint(x: C.Field(x), y: C.Field(y))
    }
}

/// Why bytes are not a public key on a curve.
package enum PublicKeyError: Error, Equatable, Sendable {
    /// The length is not that of an uncompressed point.
    case wrongLength(expected: Int, found: Int)

    /// The first byte is not 0x04, which marks an uncompressed point.
    case notUncompressed(firstByte: UInt8)

    /// A coordinate is not below the curve's prime.
    case coordinateOutOfRange

    /// The coordinates do not satisfy the curve's equation.
    case notOnCurve
}
