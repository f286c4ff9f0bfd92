/// A postback whose signature was verified; the only thing a store counts.
package struct VerifiedPostback: Sendable {
    /// The postback.
    package let postback: ReceivedPostback
    /// Whose key verified it.
    package let provenance: Provenance
    /// The name of that key.
    package let keyName: String

    /// Vouches for a postback.
    ///
    /// Only the verifier may call it; a test reads the sources for other callers.
    package init(verified postback: ReceivedPostback, provenance: Provenance, keyName: String) {
        self.postback = postback
        self.provenance = provenance
        self.keyName = keyName
    }
}
