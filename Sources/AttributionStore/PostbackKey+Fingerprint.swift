import Attribution

extension PostbackKey {
    /// A 64-bit fingerprint of the key and of whose key verified it, the same in every process and release, for it is
    /// stored.
    ///
    /// FNV-1a with a final mixing step; nobody can aim for a collision, as Apple signs what goes in, and a collision
    /// costs one more look at a row.
    func fingerprint(_ provenance: Provenance) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            for byte in text.utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
            // No value contains the byte, so no two keys are spelt alike.
            hash = (hash ^ 0x1F) &* 0x100_0000_01B3
        }
        add(transactionID.text)
        add(adNetworkID.text)
        add(sequenceIndex.map { String($0) } ?? "")
        add(framework.rawValue)
        add(provenance.rawValue)
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ (hash >> 29)
    }
}
