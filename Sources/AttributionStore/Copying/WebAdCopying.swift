import Attribution

/// A web ad as a store keeps it.
package struct StoredWebAd: Hashable, Sendable {
    /// The UUID, in lower case.
    package let nonce: String
    package let adNetworkID: String
    package let itunesItemID: Int64
    package let sourceIdentifier: Int64
    /// The domains it is bound to; none: any.
    package let domains: [String]
    /// Times in Unix milliseconds.
    package let issuedAt: Int64
    package let expiresAt: Int64
    /// When and on which domain it was answered; nil when it was not.
    package let answer: Answer?

    /// An answer.
    package struct Answer: Hashable, Sendable {
        package let at: Int64
        package let domain: String

        /// Takes what a store has of an answer.
        package init(at: Int64, domain: String) {
            self.at = at
            self.domain = domain
        }
    }

    /// Takes what a store has of an ad.
    package init(
        nonce: String,
        adNetworkID: String,
        itunesItemID: Int64,
        sourceIdentifier: Int64,
        domains: [String],
        issuedAt: Int64,
        expiresAt: Int64,
        answer: Answer?
    ) {
        self.nonce = nonce
        self.adNetworkID = adNetworkID
        self.itunesItemID = itunesItemID
        self.sourceIdentifier = sourceIdentifier
        self.domains = domains
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.answer = answer
    }
}

/// Web ads that are copied from one store to another, which is only right when the source answers no more of them.
package protocol WebAdCopying: WebAdWriting {
    /// Ads in the order of their nonces.
    ///
    /// - Parameters:
    ///   - last: The nonce after which the page begins; empty for the first page.
    ///   - limit: The most of one page.
    /// - Returns: A page.
    /// - Throws: ``StoreError``.
    func ads(after last: String, limit: Int) async throws -> [StoredWebAd]

    /// Takes ads over; one that is there already stays as it is.
    ///
    /// - Returns: How many were new.
    /// - Throws: ``StoreError``.
    func copy(_ ads: [StoredWebAd]) async throws -> Int64
}

extension WebAdCopying {
    /// Takes over all ads of another store.
    ///
    /// - Parameter source: The other store, which answers none of them any more.
    /// - Returns: How many were new.
    /// - Throws: ``StoreError``.
    package func copyAll(from source: any WebAdCopying) async throws -> Int64 {
        var (last, copied): (String, Int64) = ("", 0)
        while case let page = try await source.ads(after: last, limit: 1_000), let end = page.last {
            copied += try await copy(page)
            last = end.nonce
        }
        return copied
    }
}
