package import StrictJSON

extension WebAdRequest {
    /// Checks every value and joins them with a nonce.
    ///
    /// - Parameters:
    ///   - nonce: A fresh one.
    ///   - issuedAtMilliseconds: When it is issued, in Unix milliseconds.
    /// - Returns: The ad with its link.
    /// - Throws: ``FieldProblem`` naming the first field that breaks a rule.
    package func checked(nonce: Nonce, issuedAtMilliseconds: Int64) throws(FieldProblem) -> WebAdLink {
        guard let network = AdNetworkID(adNetworkID) else {
            throw text(adNetworkID, of: "ad-network-id")
        }
        let content = WebAdContent(
            adNetworkID: network, itunesItemID: AppStoreItemID(itunesItemID), sourceIdentifier: sourceIdentifier)
        guard sourceDomains.count <= Self.maximumDomains else {
            throw FieldProblem(
                field: "source-domains", found: "\(sourceDomains.count) domains",
                expected: "at most \(Self.maximumDomains), or none for any domain")
        }
        var domains: [SourceDomain] = []
        for domain in sourceDomains {
            let checked = try Self.checkedDomain(domain)
            guard !domains.contains(checked) else {
                throw FieldProblem(
                    field: "source-domains", found: "\"\(domain.shortened(to: 60))\" twice",
                    expected: "each domain once")
            }
            domains.append(checked)
        }
        guard let destination = AttributionDestination(attributionDestination) else {
            throw FieldProblem(
                field: "attribution-destination", found: "\"\(attributionDestination.shortened(to: 60))\"",
                expected: "an origin without path, for example https://network.example")
        }
        guard SignedTextSeparator.admits(label) else {
            throw text(label, of: "label")
        }
        guard Self.lifetimes.contains(lifetimeSeconds) else {
            throw FieldProblem(
                field: "lifetime-seconds", found: String(lifetimeSeconds),
                expected: "a whole number from \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound)")
        }
        // Before anything is added to it, which could overflow.
        guard ImpressionRequest.timestamps.contains(issuedAtMilliseconds) else {
            throw FieldProblem(
                field: "issued-at", found: String(issuedAtMilliseconds),
                expected: "Unix time in milliseconds (13 digits)")
        }
        let ad = WebAd(
            nonce: nonce, content: content, sourceDomains: domains, issuedAtMilliseconds: issuedAtMilliseconds,
            expiresAtMilliseconds: issuedAtMilliseconds + lifetimeSeconds * 1_000)
        _ = try ad.sampleImpression()
        return WebAdLink(ad: ad, attributionDestination: destination, label: label)
    }

    private func text(_ value: String, of field: String) -> FieldProblem {
        FieldProblem(
            field: field, found: "\"\(value.shortened(to: 60))\"",
            expected: "1 to 255 bytes of text without U+2063 and control characters")
    }

    /// A domain as a browser spells it: matching is exact, so any other spelling would never be tapped.
    private static func checkedDomain(_ text: String) throws(FieldProblem) -> SourceDomain {
        let domain = try SourceDomain.checked(text, field: "source-domains")
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isHost = labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { Array("abcdefghijklmnopqrstuvwxyz0123456789-".utf8).contains($0) }
        }
        guard isHost else {
            throw FieldProblem(
                field: "source-domains", found: "\"\(text.shortened(to: 60))\"",
                expected: "lower-case letters, digits, hyphens and dots, other letters as xn--, as browsers spell it")
        }
        return domain
    }
}
