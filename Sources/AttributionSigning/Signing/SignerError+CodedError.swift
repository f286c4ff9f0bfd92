package import CodedErrors

extension SignerError: CodedError {
    /// The stable code.
    package var code: ErrorCode { .signingFailed }
    /// What to do.
    package var hint: String? { "send it again; if it happens twice, the hardware is probably faulty" }
}
