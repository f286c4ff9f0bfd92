package import StrictJSON

extension SignedSKAdNetworkImpression {
    /// The response to a tap on a web ad: the fields of Apple's example, in its order.
    ///
    /// - Throws: ``FieldProblem`` for an ad of another form.
    /// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
    package func webAdPayload() throws(FieldProblem) -> JSONText {
        guard case .domain(let domain) = impression.source, case .sourceIdentifier(let identifier) = impression.campaign
        else {
            throw FieldProblem(
                field: "source-domain", found: "a \(impression.form.rawValue) ad", expected: "a web ad of version 4.0")
        }
        return .object([
            "version": .string(impression.version.rawValue),
            "ad_network_id": .string(impression.adNetworkID.text),
            "source_identifier": .integer(identifier.value),
            "itunes_item_id": .integer(impression.itunesItemID.value),
            "nonce": .string(impression.nonce.text),
            "source_domain": .string(domain.text),
            "timestamp": .integer(impression.timestamp.rawValue),
            "signature": .string(attributionSignature),
        ])
    }
}
