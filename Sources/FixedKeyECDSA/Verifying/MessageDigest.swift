/// The SHA-256 digest of a signed message.
///
/// The 32 bytes as SHA-256 gives them. For P-192 only the leftmost 192 bits enter the verification.
///
/// - SeeAlso: [SEC 1, section 4.1.4](https://www.secg.org/sec1-v2.pdf)
package struct MessageDigest: Equatable, Sendable, BitwiseCopyable {
    /// The digest as one big-endian number.
    let number: UInt256

    /// Takes the bytes of a digest.
    ///
    /// - Parameter bytes: Exactly 32 bytes; any other number is an error of the program.
    package init(_ bytes: Span<UInt8>) {
        precondition(bytes.count == 32, "A SHA-256 digest has 32 bytes, not \(bytes.count).")
        number = UInt256(bigEndian: bytes)
    }
}
