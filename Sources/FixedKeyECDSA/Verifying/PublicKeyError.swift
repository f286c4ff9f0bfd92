/// Why bytes are not a public key of a curve.
package enum PublicKeyError: Error, Equatable, Sendable {
    /// The point has another number of bytes than 1 and two coordinates.
    case wrongLength(expected: Int, found: Int)

    /// The first byte is not 0x04, the mark of an uncompressed point.
    case notUncompressed(firstByte: UInt8)

    /// A coordinate is not below the curve's prime.
    case coordinateOutOfRange

    /// The coordinates do not satisfy the curve's equation.
    case notOnCurve
}
