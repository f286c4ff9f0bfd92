/// The result of verifying a signature under a key.
enum SignatureVerdict: Equatable, Sendable {
    /// The signature is valid.
    case valid
    /// The signature is invalid.
    case invalid
    /// Verification failed because of this machine, not because of the signature.
    case undecided(reason: String)
}
