package import Attribution

/// A campaign as both stores keep it: numbers that are never NULL, so that they can be part of a key.
package struct StoredCampaign: Hashable, Sendable {
    package let network: String
    package let app: Int64
    package let campaignID: Int64
    /// The digits of the source identifier; empty for none.
    package let sourceIdentifier: String

    package init(network: String, app: Int64, campaignID: Int64, sourceIdentifier: String) {
        self.network = network
        self.app = app
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
    }

    /// A campaign that was signed for.
    package init(_ campaign: SignedCampaign) {
        self.init(
            network: campaign.network, app: campaign.app.value, campaignID: campaign.campaignID?.value ?? 0,
            sourceIdentifier: campaign.sourceIdentifier.map { String($0.value) } ?? "")
    }

    package init(_ campaign: SpendCampaign) {
        self.init(
            network: campaign.network, app: campaign.app.value, campaignID: campaign.campaignID?.value ?? 0,
            sourceIdentifier: campaign.sourceIdentifier?.digits ?? "")
    }

    /// The campaign that was signed for; nil for values that no campaign has.
    package var signed: SignedCampaign? {
        let identifier = Int64(sourceIdentifier).flatMap { ImpressionSourceIdentifier($0) }
        guard let network = AdNetworkID(network), hasValidCampaignID, identifier != nil || sourceIdentifier.isEmpty
        else {
            return nil
        }
        return SignedCampaign(
            network: network, app: AppStoreItemID(app), campaignID: CampaignID(campaignID),
            sourceIdentifier: identifier)
    }

    /// The campaign with spend; nil for values that no campaign has.
    package var spend: SpendCampaign? {
        let identifier = SourceIdentifier(sourceIdentifier)
        guard let network = AdNetworkID(network), hasValidCampaignID, identifier != nil || sourceIdentifier.isEmpty
        else {
            return nil
        }
        return SpendCampaign(
            network: network, app: AppStoreItemID(app), campaignID: CampaignID(campaignID),
            sourceIdentifier: identifier)
    }

    private var hasValidCampaignID: Bool {
        campaignID == 0 || CampaignID(campaignID) != nil
    }
}

/// How many ads a process signed for a campaign on a day, as stores keep it: a row for each writer and number.
package struct SignedRow: Hashable, Sendable {
    /// The id of the process that counted.
    package let writer: String
    /// The number of the sum among those of its writer.
    package let sequence: Int64
    /// The day of UTC, since 1970-01-01.
    package let day: Int64
    package let campaign: StoredCampaign
    /// How many ads were signed.
    package private(set) var count: Int64
    /// How many lines were new or raised the count.
    package private(set) var lines: Int64 = 1

    private init(_ line: SignedImpressionCount) {
        writer = line.writer.text
        sequence = line.sequence
        day = line.day.number
        campaign = StoredCampaign(line.campaign)
        count = line.signed
    }

    /// One row for each writer and number, with the greatest count, in an order that all writers lock rows in.
    package static func rows(_ lines: [SignedImpressionCount]) -> [SignedRow] {
        var rows: [[String]: SignedRow] = [:]
        for line in lines {
            let key = [line.writer.text, String(line.sequence)]
            if var row = rows[key] {
                guard line.signed > row.count else {
                    continue
                }
                row.count = line.signed
                row.lines += 1
                rows[key] = row
            } else {
                rows[key] = SignedRow(line)
            }
        }
        return rows.values.sorted { ($0.writer, $0.sequence) < ($1.writer, $1.sequence) }
    }
}
