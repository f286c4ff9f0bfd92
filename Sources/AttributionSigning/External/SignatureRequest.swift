/// A signature that an external signer is to make.
package struct SignatureRequest: Hashable, Sendable {
    /// The key.
    package let key: ExternalKey
    /// The SHA-256 digest to sign.
    package let digest: [UInt8]

    /// Makes a request.
    package init(key: ExternalKey, digest: [UInt8]) {
        self.key = key
        self.digest = digest
    }
}

/// What external signers answered to requests: signatures in DER that nobody has verified yet, or why there is none.
package typealias ExternalSignatures = [SignatureRequest: Result<[UInt8], ExternalSignerError>]

/// Requests signatures from external signers without blocking, and calls back once, on any thread, with an answer to each.
///
/// It answers within a second, whatever the signers do.
package typealias RequestSignatures =
    @Sendable ([SignatureRequest], @escaping @Sendable (ExternalSignatures) -> Void) -> Void

/// An impression cannot be signed before an external signer was asked: ask it, and sign the impression again.
package struct ExternalSignatureNeeded: Error {
    /// What is to be requested.
    package let request: SignatureRequest
}

extension ExternalSignatures {
    /// The signature that an external signer has made.
    ///
    /// - Throws: ``ExternalSignatureNeeded`` if it was not requested yet, or why there is none.
    func signature(of key: ExternalKey, over digest: [UInt8]) throws -> [UInt8] {
        let request = SignatureRequest(key: key, digest: digest)
        guard let signature = self[request] else {
            throw ExternalSignatureNeeded(request: request)
        }
        return try signature.get()
    }
}
