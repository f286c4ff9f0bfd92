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
