/// The unchecked values of an SKAdNetwork impression, from a command line.
package struct SKAdNetworkImpressionDraft: Sendable {
    /// `version`, for example `4.0`.
    package var version: String
    /// `ad-network-id`.
    package var adNetworkID: String
    /// `campaign-id`, 1…100; up to 3.0.
    package var campaignID: Int64?
    /// `source-identifier`, 0…9999; from 4.0.
    package var sourceIdentifier: Int64?
    /// `itunes-item-id`, the advertised app.
    package var itunesItemID: Int64
    /// `source-app-id`; from 2.0.
    package var sourceAppID: Int64?
    /// `source-domain`; 4.0 web ads.
    package var sourceDomain: String?
    /// `fidelity-type`, 0 or 1; from 2.2, where nil means 1.
    package var fidelityType: Int64?
    /// `nonce`, a lower-case version 4 UUID.
    package var nonce: String
    /// `timestamp`, Unix milliseconds.
    package var timestampMilliseconds: Int64

    /// Makes a draft.
    package init(
        version: String,
        adNetworkID: String,
        campaignID: Int64? = nil,
        sourceIdentifier: Int64? = nil,
        itunesItemID: Int64,
        sourceAppID: Int64? = nil,
        sourceDomain: String? = nil,
        fidelityType: Int64? = nil,
        nonce: String,
        timestampMilliseconds: Int64
    ) {
        self.version = version
        self.adNetworkID = adNetworkID
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
        self.itunesItemID = itunesItemID
        self.sourceAppID = sourceAppID
        self.sourceDomain = sourceDomain
        self.fidelityType = fidelityType
        self.nonce = nonce
        self.timestampMilliseconds = timestampMilliseconds
    }
}
