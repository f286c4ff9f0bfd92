import COpenSSL

/// Signs digests under one private key, on one thread.
///
/// A signer need not be reliable: ``BatchSigner`` verifies every signature before it leaves.
package protocol DigestSigner {
    /// Signs a SHA-256 digest.
    ///
    /// - Parameter digest: 32 bytes.
    /// - Returns: A DER `ECDSA-Sig-Value`, different each time.
    /// - Throws: What keeps the key from signing.
    func signature(digest: [UInt8]) throws -> [UInt8]
}

/// A private key with a signing context of its own, prepared once and used for every signature.
///
/// Making or copying a context costs a tenth of a signature. A context belongs to one thread.
package final class PreparedKey: DigestSigner {
    /// The longest DER signature on P-256 has 72 bytes.
    private static let longest = 128

    // Keeps the EVP_PKEY alive.
    private let key: ECPrivateKey
    private let context: OpaquePointer

    /// Prepares a key.
    ///
    /// - Throws: An error if OpenSSL is out of memory.
    package init(_ privateKey: NetworkPrivateKey) throws {
        key = privateKey.key
        context = try key.makeSigningContext()
    }

    deinit {
        EVP_PKEY_CTX_free(context)
    }

    /// Signs a SHA-256 digest in constant time.
    package func signature(digest: [UInt8]) throws -> [UInt8] {
        try ECPrivateKey.sign(digest: digest, in: context)
    }
}
