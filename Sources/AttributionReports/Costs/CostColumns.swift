import Attribution

/// The columns that sections of costs share.
enum CostColumns {
    static let keys: [ReportSectionColumn] = [
        .key(.network), .key(.app),
        ReportSectionColumn(
            ReportDimension.campaignID.rawValue, "Campaign", .key, .signed,
            "The campaign id, 1 to 100, up to version 3.0; several if ads with one group of source identifiers were "
                + "signed with each.",
            dimension: .campaignID, isFilter: false),
        ReportSectionColumn(
            ReportDimension.sourceIdentifier.rawValue, "Source identifier", .key, .signed,
            "The last two digits, which every postback has, from 4.0 on: 39 is 5239, 239 and 39 together.",
            dimension: .sourceIdentifier, isFilter: false),
    ]

    static let impressions = ReportSectionColumn(
        "impressions", "Impressions signed", .count, .ours,
        "Ads that were signed, each once in all its forms and versions, by the day (UTC) of the signature; empty if none "
            + "were counted, which is not 0. Whether an ad was shown is not known.", isCompared: true)
    static let installs = CountsFigure.installs.column.compared
    static let spend = ReportSectionColumn(
        "spend", "Spend", .money, .unsigned,
        "What was imported for these days (UTC) and this currency; empty if nothing was.", isCompared: true)
    static let currency = ReportSectionColumn.names(
        "currency", "Currency", .ours, "The currency of the spend; currencies are never added.")
    static let costPerThousand = ReportSectionColumn(
        "cost-per-thousand", "Cost per thousand", .money, .unsigned,
        "Spend per thousand impressions signed, rounded to four places; empty without impressions, and for a campaign "
            + "with spend in several currencies.", denominator: "impressions")
    static let costPerInstall = ReportSectionColumn(
        "cost-per-install", "Cost per install", .money, .unsigned,
        "Spend per install, rounded to four places; empty without installs, and for a campaign with spend in several "
            + "currencies.", denominator: "installs")
}
