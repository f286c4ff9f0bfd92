extension [Spend] {
    /// The statements as CSV, as they are read.
    package var csv: String {
        var lines = [Spend.fields.joined(separator: ",")]
        for spend in self {
            let campaign = spend.key.campaign
            // None of them can have a comma or a quote in it.
            lines.append(
                [
                    spend.key.day.description, campaign.network, campaign.app.description,
                    campaign.campaignID.map { String($0.value) } ?? "", campaign.sourceIdentifier?.digits ?? "",
                    spend.key.currency.text, spend.amount.description,
                ].joined(separator: ","))
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
