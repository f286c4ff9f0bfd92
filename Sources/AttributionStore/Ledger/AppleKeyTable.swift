package import Attribution

extension CopiedTable {
    /// The keys that were added to Apple's, with which history is verified again.
    package static let appleKeys = CopiedTable(
        "apple_key",
        [
            "name": .text, "public_key": .bytes, "framework": .text, "signer": .text, "provenance": .text,
            "valid_from": .integer, "valid_until": .integer,
        ])
}

extension AppleKeyRecord {
    /// The values of its row.
    package var row: [CopiedValue] {
        [
            .text(name), .bytes(publicKey), .text(signer.framework.rawValue), .text(signer.name),
            .text(provenance.rawValue), .integer(validity.lowerBound), .integer(validity.upperBound),
        ]
    }

    /// Reads a row; nil for a key that only a later release can use.
    fileprivate init?(_ row: [CopiedValue]) {
        guard let framework = PostbackFramework(rawValue: row[2].string),
            let signer = PostbackSigner(framework, name: row[3].string),
            let provenance = Provenance(rawValue: row[4].string), provenance != .test,
            row[5].number < row[6].number
        else {
            return nil
        }
        self.init(
            name: row[0].string, publicKey: row[1].data, signer: signer, provenance: provenance,
            validity: row[5].number..<row[6].number)
    }
}

extension LedgerCopySource {
    /// The keys added to Apple's that writers kept.
    package func appleKeys() async throws -> [AppleKeyRecord] {
        try await rows(of: .appleKeys).rows.compactMap { AppleKeyRecord($0) }
    }
}
