import COpenSSL

/// A private key with what signing takes, prepared once, for one thread.
///
/// Digests are signed together, which takes half the time of each where there are several. If that fails, they are signed
/// one by one in a signing context of the key's own, because making or copying one costs a tenth of a signature.
package final class PreparedKey: DigestSigner {
    // Keeps the EVP_PKEY alive.
    private let key: ECPrivateKey
    private let context: OpaquePointer
    private var together: SharedInversions?

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

    /// Signs SHA-256 digests in constant time.
    package func signatures(over digests: [[UInt8]]) -> [Result<[UInt8], any Error>] {
        var signatures: [Result<[UInt8], any Error>] = []
        signatures.reserveCapacity(digests.count)
        while signatures.count < digests.count {
            let next = digests[signatures.count...].prefix(SharedInversions.capacity)
            if let signed = try? signTogether(next) {
                signatures += signed.lazy.map { .success($0) }
            } else {
                signatures += next.lazy.map { digest in Result { try self.signature(digest: digest) } }
            }
        }
        return signatures
    }

    /// Signs a SHA-256 digest in constant time.
    package func signature(digest: [UInt8]) throws -> [UInt8] {
        try ECPrivateKey.sign(digest: digest, in: context)
    }

    private func signTogether(_ digests: ArraySlice<[UInt8]>) throws -> [[UInt8]] {
        let inversions = try together ?? SharedInversions(key.key)
        together = inversions
        return try inversions.signatures(over: digests)
    }
}
