package import StrictJSON

/// What the ads of a campaign cost on one day, in one currency.
///
/// It is a statement of the whole amount, not an addition: whoever makes it twice changes nothing.
package struct Spend: Hashable, Sendable {
    /// What has one amount.
    package struct Key: Hashable, Sendable {
        /// The day of UTC.
        package let day: CalendarDay
        /// The campaign, or a group of campaigns.
        package let campaign: SpendCampaign
        /// The currency; a campaign may have amounts in several.
        package let currency: CurrencyCode

        package init(day: CalendarDay, campaign: SpendCampaign, currency: CurrencyCode) {
            self.day = day
            self.campaign = campaign
            self.currency = currency
        }
    }

    /// What has the amount.
    package let key: Key
    /// The amount, which may be 0: that is known, and not the same as nothing stated.
    package let amount: Money

    package init(key: Key, amount: Money) {
        self.key = key
        self.amount = amount
    }
}

/// What spend is stated for: the network, the advertised app, and a campaign under one of its numbers or both.
package struct SpendCampaign: Hashable, Sendable {
    package let network: String
    /// The advertised app; the ids of campaigns are unique within an app of a network.
    package let app: AppStoreItemID
    /// The campaign id; nil for none.
    package let campaignID: CampaignID?
    /// The source identifier, of which two or three digits name a group; nil for none.
    package let sourceIdentifier: SourceIdentifier?

    /// Names a campaign.
    package init(
        network: AdNetworkID, app: AppStoreItemID, campaignID: CampaignID?, sourceIdentifier: SourceIdentifier?
    ) {
        self.network = network.registered
        self.app = app
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
    }
}

extension Spend {
    /// The names of the fields, Apple's where it has one.
    package static let fields = [
        "date", "ad-network-id", "app-id", "campaign-id", "source-identifier", "currency", "amount",
    ]

    /// Reads a statement.
    package init(reading fields: [String: String], latest: CalendarDay) throws(FieldProblem) {
        let fields = fields.filter { !$0.value.isEmpty }
        if let unknown = fields.keys.sorted().first(where: { !Self.fields.contains($0) }) {
            throw FieldProblem(
                field: unknown.shortened(to: 40), found: "a field that spend does not have",
                expected: "one of " + Self.fields.joined(separator: ", ") + Self.fields.suggestion(for: unknown))
        }
        func text(_ name: String, _ expected: String) throws(FieldProblem) -> String {
            guard let text = fields[name] else {
                throw FieldProblem(field: name, found: "nothing", expected: expected)
            }
            return text
        }
        self.init(
            key: Key(
                day: try Self.day(try text("date", "a day as YYYY-MM-DD"), latest: latest),
                campaign: try Self.campaign(fields),
                currency: try Self.currency(try text("currency", "a code of ISO 4217, such as USD"))),
            amount: try Self.amount(try text("amount", Self.amountRule)))
    }

    /// From 2018, when postbacks began.
    private static let earliest = CalendarDay(number: 17_532)

    private static func day(_ text: String, latest: CalendarDay) throws(FieldProblem) -> CalendarDay {
        let day = try CalendarDay.reading(text, field: "date")
        guard (earliest...max(earliest, latest)).contains(day) else {
            throw FieldProblem(field: "date", found: text, expected: "a day from \(earliest) to \(latest)")
        }
        return day
    }

    private static func campaign(_ fields: [String: String]) throws(FieldProblem) -> SpendCampaign {
        guard let name = fields["ad-network-id"] else {
            throw FieldProblem(
                field: "ad-network-id", found: "nothing", expected: "an id, for example example123.skadnetwork")
        }
        let network = try AdNetworkID.checked(name, field: "ad-network-id")
        let app = try AppStoreItemID.advertised(
            try number(fields["app-id"], "app-id", AppStoreItemID.advertisedRule), field: "app-id")
        var campaignID: CampaignID?
        if let text = fields["campaign-id"] {
            campaignID = try CampaignID.checked(
                try number(text, "campaign-id", CampaignID.rule), field: "campaign-id")
        }
        let identifier = fields["source-identifier"].flatMap { SourceIdentifier(written: $0) }
        if identifier == nil, let text = fields["source-identifier"] {
            throw FieldProblem(
                field: "source-identifier", found: "\"\(text.shortened(to: 40))\"",
                expected: "two to four digits, such as 5239, or 39 for all that end with it")
        }
        guard campaignID != nil || identifier != nil else {
            throw FieldProblem(
                field: "campaign-id", found: "nothing", expected: "it or source-identifier, or both")
        }
        return SpendCampaign(network: network, app: app, campaignID: campaignID, sourceIdentifier: identifier)
    }

    private static func number(_ text: String?, _ name: String, _ rule: String) throws(FieldProblem) -> Int64 {
        guard let text, let number = Int64(text), String(number) == text else {
            throw FieldProblem(
                field: name, found: text.map { "\"\($0.shortened(to: 40))\"" } ?? "nothing", expected: rule)
        }
        return number
    }

    private static func currency(_ text: String) throws(FieldProblem) -> CurrencyCode {
        guard let currency = CurrencyCode(text) else {
            let capitals = text.uppercased()
            throw FieldProblem(
                field: "currency", found: "\"\(text.shortened(to: 40))\"",
                expected: "a code of ISO 4217, such as \(CurrencyCode.known.contains(capitals) ? capitals : "USD")")
        }
        return currency
    }

    private static let amountRule =
        "an amount that is not negative, with a point, at most \(Money.places) decimal places and 12 digits before them, "
        + "such as 12.34"

    private static func amount(_ text: String) throws(FieldProblem) -> Money {
        guard let amount = Money(text) else {
            throw FieldProblem(field: "amount", found: "\"\(text.shortened(to: 40))\"", expected: amountRule)
        }
        return amount
    }
}

extension [Spend] {
    /// The statements as NDJSON, as they are read.
    package var lines: String {
        map { spend in
            let campaign = spend.key.campaign
            let members: [(String, JSONText)] = [
                ("date", .string(spend.key.day.description)), ("ad-network-id", .string(campaign.network)),
                ("app-id", .integer(campaign.app.value)),
                ("campaign-id", campaign.campaignID.map { .integer($0.value) } ?? .null),
                ("source-identifier", campaign.sourceIdentifier.map { .string($0.digits) } ?? .null),
                ("currency", .string(spend.key.currency.text)), ("amount", .string(spend.amount.description)),
            ]
            return JSONText.object(members).line + "\n"
        }.joined()
    }

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
