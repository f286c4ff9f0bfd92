/// Web ads that are copied from one store to another, which is only right when the source answers no more of them.
package protocol WebAdCopying: WebAdWriting {
    /// A page of rows of ``CopiedTable/webAds`` in the order of their nonces, after one of them.
    func ads(after nonce: String, limit: Int) async throws -> [[CopiedValue]]

    /// Adds the ads that are not there.
    func copy(_ ads: [[CopiedValue]]) async throws -> Int64
}

extension WebAdCopying {
    /// Takes over all ads of another store, which answers none of them any more.
    package func copyAll(from source: any WebAdCopying) async throws -> Int64 {
        var (last, copied): (String, Int64) = ("", 0)
        while case let page = try await source.ads(after: last, limit: 1_000), let end = page.last?.first {
            copied += try await copy(page)
            last = end.string
        }
        return copied
    }
}

extension CopiedTable {
    /// Web ads: domains are separated by spaces, and 0 and an empty text stand for no answer.
    package static let webAds = CopiedTable(
        "web_ad",
        [
            "nonce": .text, "ad_network_id": .text, "itunes_item_id": .integer, "source_identifier": .integer,
            "domains": .text, "issued_at": .integer, "expires_at": .integer, "answered_at": .integer,
            "answered_domain": .text,
        ])
}
