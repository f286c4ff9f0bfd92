/// Why a signature was made but not handed out.
package enum SignerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fresh signature does not verify with the key's public half: memory or processor failed.
    case signatureDoesNotVerify

    /// What happened.
    package var description: String {
        "the signature just made does not verify with the key's public half; it was thrown away"
    }
}
