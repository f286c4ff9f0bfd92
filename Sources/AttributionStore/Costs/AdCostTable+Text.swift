import Attribution

extension AdCostTable.Row: CustomStringConvertible {
    /// The day and the campaign, for a person.
    package var description: String {
        // A damaged day may be none of the calendar.
        let day = (0..<1_000_000).contains(day) ? CalendarDay(number: day).description : "day \(day)"
        var parts = [day, campaign.network, "app \(campaign.app)"]
        if campaign.campaignID != 0 { parts.append("campaign \(campaign.campaignID)") }
        if !campaign.sourceIdentifier.isEmpty { parts.append("source identifier \(campaign.sourceIdentifier)") }
        return parts.joined(separator: " ")
    }
}

extension Set<AdCostTable.Row> {
    /// The first few, for a person.
    package var text: String {
        map(\.description).sorted().prefix(8).joined(separator: ", ") + (count > 8 ? ", …" : "")
    }
}
