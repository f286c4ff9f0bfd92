package import CodedErrors

/// Why a signature was made but not returned.
package enum SignerError: CodedError, Hashable, Sendable, CustomStringConvertible {
    /// The fresh signature does not verify, probably because of a hardware fault.
    case signatureDoesNotVerify

    /// What happened.
    package var description: String {
        "the new signature does not verify with the key's public half and was discarded"
    }

    /// The stable code.
    package var code: ErrorCode { .signingFailed }
    /// What to do.
    package var hint: String? { "send it again; if it happens twice, the hardware is probably faulty" }
}
