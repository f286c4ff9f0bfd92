package import Attribution

extension ReportSectionColumn {
    /// The column of a dimension's values.
    package static func key(_ dimension: ReportDimension) -> ReportSectionColumn {
        let (title, definition) = words(dimension)
        return ReportSectionColumn(
            dimension.rawValue, title, .key, dimension.basis, definition, dimension: dimension)
    }

    /// A column of names that are no dimension, such as reasons.
    package static func names(
        _ name: String,
        _ title: String,
        _ basis: ReportDimension.Basis,
        _ definition: String
    ) -> ReportSectionColumn {
        ReportSectionColumn(name, title, .key, basis, definition)
    }

    /// The heading and the definition of a dimension.
    private static func words(_ dimension: ReportDimension) -> (String, String) {
        switch dimension {
        case .hour: ("Hour", "The hour of receipt in the report's time zone.")
        case .day: ("Day", "The day of receipt in the report's time zone.")
        case .week: ("Week", "The week of receipt, ISO 8601.")
        case .month: ("Month", "The month of receipt.")
        case .framework: ("Framework", "SKAdNetwork or AdAttributionKit.")
        case .network: ("Ad network", "The ad network's id.")
        case .app: ("App", "The App Store id of the advertised app.")
        case .campaignID: ("Campaign", "The campaign id, 1 to 100, up to version 3.0.")
        case .sourceIdentifier:
            (
                "Source identifier",
                "Two to four digits as received, from 4.0 on: the last ones of the signed four, so 39 can be 5239."
            )
        case .sourceApp: ("Source app", "The App Store id of the app that showed the ad; withheld in small crowds.")
        case .sourceDomain: ("Source domain", "The website that showed the ad; withheld in small crowds.")
        case .version: ("Version", "The version of SKAdNetwork.")
        case .fidelity: ("Fidelity", "1 for an ad that was tapped, 0 for one that was seen.")
        case .redownload: ("Redownload", "Whether the person had the app before; version 1.0 does not sign it.")
        case .sequenceIndex: ("Window", "The number of the conversion window, from 0.")
        case .conversionType: ("Conversion type", "download, redownload or re-engagement, AdAttributionKit alone.")
        case .marketplace: ("Marketplace", "The marketplace that installed the app, AdAttributionKit alone.")
        case .country: ("Country", "The country code, from recent systems; withheld in small crowds.")
        case .interactionType: ("Interaction", "How the ad was used, AdAttributionKit alone.")
        case .conversionValue: ("Conversion value", "The value as received: absent, null, invalid, fine or coarse.")
        case .recipient: ("Recipient", "Whose copy came first: the network's or the developer's.")
        }
    }
}
