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
