import Attribution
import StrictJSON

extension WebAdRequest {
    /// What ``Attribution/WebAdRequest/init(reading:)`` reads.
    var json: JSONText {
        .object([
            "ad-network-id": .string(adNetworkID),
            "itunes-item-id": .integer(itunesItemID),
            "source-identifier": .integer(sourceIdentifier),
            "source-domains": .array(sourceDomains.map(JSONText.string)),
            "attribution-destination": .string(attributionDestination),
            "label": .string(label),
            "lifetime-seconds": .integer(lifetimeSeconds),
        ])
    }
}
