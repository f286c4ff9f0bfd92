/// The unchecked values of a web ad to issue.
package struct WebAdRequest: Sendable {
    /// The default lifetime of a web ad, in seconds: a day.
    package static let standardLifetimeSeconds: Int64 = 86_400
    /// The possible lifetimes, in seconds: up to the 30 days that Apple allows from tap to install.
    package static let lifetimes: ClosedRange<Int64> = 1...2_592_000
    /// The maximum number of domains of an ad.
    package static let maximumDomains = 64

    /// `ad-network-id`.
    package var adNetworkID: String
    /// `itunes-item-id`, the advertised app.
    package var itunesItemID: Int64
    /// `source-identifier`, 0…9999.
    package var sourceIdentifier: Int64
    /// `source-domains`: the domains (eTLD+1) whose pages may show it; empty for any.
    package var sourceDomains: [String]
    /// `attribution-destination`, the origin that devices request the payload from.
    package var attributionDestination: String
    /// `label`, the text of the link.
    package var label: String
    /// `lifetime-seconds`, within ``lifetimes``.
    package var lifetimeSeconds: Int64

    /// Makes a request.
    package init(
        adNetworkID: String,
        itunesItemID: Int64,
        sourceIdentifier: Int64,
        sourceDomains: [String] = [],
        attributionDestination: String,
        label: String = "Get the app",
        lifetimeSeconds: Int64 = WebAdRequest.standardLifetimeSeconds
    ) {
        self.adNetworkID = adNetworkID
        self.itunesItemID = itunesItemID
        self.sourceIdentifier = sourceIdentifier
        self.sourceDomains = sourceDomains
        self.attributionDestination = attributionDestination
        self.label = label
        self.lifetimeSeconds = lifetimeSeconds
    }
}
