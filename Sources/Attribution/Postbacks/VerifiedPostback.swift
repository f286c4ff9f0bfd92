/// A postback whose signature was verified; a store counts nothing else.
package struct VerifiedPostback: Sendable {
    /// The postback.
    package let postback: ReceivedPostback
    /// Whose key verified it.
    package let provenance: Provenance
    /// The name of that key.
    package let keyName: String

    /// Makes a verified postback; only the verifier may call this, and a test checks that no other code does.
    package init(verified postback: ReceivedPostback, provenance: Provenance, keyName: String) {
        self.postback = postback
        self.provenance = provenance
        self.keyName = keyName
    }
}
