package import CodedErrors

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
    /// The stable code.
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

    /// What to do.
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
