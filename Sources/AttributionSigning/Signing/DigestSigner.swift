/// Signs digests under one private key, on one thread.
///
/// A signer need not be reliable: ``BatchSigner`` verifies every signature before it leaves.
package protocol DigestSigner {
    /// Signs SHA-256 digests.
    ///
    /// - Parameter digests: Digests of 32 bytes.
    /// - Returns: For each, in the same order, a DER `ECDSA-Sig-Value`, different each time; or why it could not be made.
    func signatures(over digests: [[UInt8]]) -> [Result<[UInt8], any Error>]
}
