/// Why a signature was made but not returned.
package enum SignerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fresh signature does not verify, probably because of a hardware fault.
    case signatureDoesNotVerify

    /// What happened.
    package var description: String {
        "the new signature does not verify with the key's public half and was discarded"
    }
}
