package import Attribution

/// A signature that an external signer is to make.
package struct SignatureRequest: Hashable, Sendable {
    package let key: ExternalKey
    /// The SHA-256 digest to sign.
    package let digest: [UInt8]

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

/// Why an external signer made no signature that can be used.
package enum ExternalSignerError: Error, Hashable, Sendable {
    /// There is no connection on which it answers.
    case away(socket: String, reason: String)
    /// It did not answer in time.
    case late(socket: String)
    /// More is waiting for it than it can sign in time.
    case busy(socket: String)
    /// It answered that it cannot sign, with a reason of its own.
    case refused(key: String, reason: String)
    /// Its signature does not verify with the key's public half.
    case wrongSignature(key: String)
}

extension ExternalSignerError: CodedError, CustomStringConvertible {
    package var code: ErrorCode {
        switch self {
        case .away, .late, .busy, .refused: .signerUnavailable
        case .wrongSignature: .signingFailed
        }
    }

    /// What happened.
    package var description: String {
        switch self {
        case .away(_, let reason): "the external signer of this network is away: \(reason)"
        case .late: "the external signer of this network did not answer in time"
        case .busy: "too many signatures are waiting for the external signer of this network"
        case .refused(let key, let reason): "the external signer does not sign with the key \(key): \(reason)"
        case .wrongSignature(let key):
            "the external signer's signature does not verify with the public half of the key \(key) and was discarded"
        }
    }

    package var hint: String? {
        switch self {
        case .away, .late, .busy: "send it again; skan doctor says what the signer does"
        case .refused: "see the signer's log, and key-id in the list of keys"
        case .wrongSignature: "check that key-id and file in the list of keys name the same key"
        }
    }

    /// The word for it in metrics.
    package var outcome: String {
        switch self {
        case .away: "away"
        case .late: "late"
        case .busy: "busy"
        case .refused: "refused"
        case .wrongSignature: "wrong"
        }
    }
}
