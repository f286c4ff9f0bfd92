/// A public key of Apple's that an operator added, and what it may verify: what a store keeps of it, so that history can
/// be verified without the operator's file.
///
/// A key for several versions has a record for each.
package struct AppleKeyRecord: Hashable, Sendable {
    /// The name in verdicts and stores, with the key's fingerprint.
    package let name: String
    /// The key as DER SubjectPublicKeyInfo.
    package let publicKey: [UInt8]
    /// The version of SKAdNetwork or the `kid` that it verifies.
    package let signer: PostbackSigner
    /// What it verifies: ``Provenance/apple`` or ``Provenance/development``.
    package let provenance: Provenance
    /// The times of first receipt for which it verifies, in Unix milliseconds; all if neither end has a date.
    package let validity: Range<Int64>

    /// The validity of a key without dates.
    package static let always = Int64.min..<Int64.max

    /// Makes a record.
    package init(
        name: String, publicKey: [UInt8], signer: PostbackSigner, provenance: Provenance, validity: Range<Int64>
    ) {
        self.name = name
        self.publicKey = publicKey
        self.signer = signer
        self.provenance = provenance
        self.validity = validity
    }

    /// Whether it is about the same key and signer, perhaps with other dates.
    package func isSame(as other: AppleKeyRecord) -> Bool {
        signer == other.signer && publicKey == other.publicKey
    }
}
