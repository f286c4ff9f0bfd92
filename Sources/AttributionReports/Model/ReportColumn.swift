package import Attribution

/// A column of a table: its name, its definition and who vouches for it.
package struct ReportColumn: Hashable, Sendable {
    /// What the cells of the column hold; each may also be absent.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case key, text, count, share, mean, decimal, money, counts, shares, time

        /// Whether cells are aligned to the left.
        package var isText: Bool {
            self == .key || self == .text || self == .time
        }

        /// Whether cells are bounds, for which flat formats have two columns.
        var isRange: Bool {
            self == .counts || self == .shares
        }
    }

    /// The stable name, unique in its section.
    package let name: String
    package let title: String
    package let kind: Kind
    package internal(set) var basis: ReportDimension.Basis
    /// What the figure counts, in one sentence.
    package let definition: String
    /// The column with the denominator of a share or mean.
    package let denominator: String?
    /// The dimension whose values the cells are, for filters; nil for others.
    package let dimension: ReportDimension?
    /// Whether the report can be narrowed to a value of ``dimension``.
    package let isFilter: Bool
    /// Whether rows have its value in the previous period too.
    package internal(set) var isCompared: Bool
    /// Whether its total is the sum of its rows, as that of a denominator common to all rows is not.
    package let isSum: Bool

    package init(
        _ name: String,
        _ title: String,
        _ kind: Kind,
        _ basis: ReportDimension.Basis,
        _ definition: String,
        denominator: String? = nil,
        dimension: ReportDimension? = nil,
        isFilter: Bool = true,
        isCompared: Bool = false,
        isSum: Bool? = nil
    ) {
        self.name = name
        self.title = title
        self.kind = kind
        self.basis = basis
        self.definition = definition
        self.denominator = denominator
        self.dimension = dimension
        self.isFilter = isFilter
        self.isCompared = isCompared
        self.isSum = isSum ?? (kind == .count)
    }

    /// The same column, for the previous period or not.
    func comparing(_ isCompared: Bool = true) -> ReportColumn {
        var column = self
        column.isCompared = isCompared
        return column
    }

    /// A column of names that are no dimension, such as reasons.
    static func names(
        _ name: String,
        _ title: String,
        _ basis: ReportDimension.Basis,
        _ definition: String
    ) -> ReportColumn {
        ReportColumn(name, title, .key, basis, definition)
    }

    /// The column of a dimension's values.
    static func key(_ dimension: ReportDimension, isFilter: Bool = true) -> ReportColumn {
        let (title, definition) = dimension.words
        return ReportColumn(
            dimension.rawValue, title, .key, dimension.basis, definition, dimension: dimension, isFilter: isFilter)
    }
}

extension ReportDimension.Basis {
    var name: String {
        switch self {
        case .signed: "signed"
        case .unsigned: "unsigned"
        case .ours: "observed"
        }
    }

    /// Who vouches, in words.
    package var meaning: String {
        switch self {
        case .signed: "Apple signs it"
        case .unsigned: "no one signs it"
        case .ours: "we observe it"
        }
    }
}

extension ReportDimension {
    fileprivate var words: (title: String, definition: String) {
        switch self {
        case .hour: ("Hour", "The hour of receipt in the report's time zone.")
        case .day: ("Day", "The day of receipt in the report's time zone.")
        case .week: ("Week", "The week of receipt, ISO 8601.")
        case .month: ("Month", "The month of receipt.")
        case .installDays:
            ("Install days", "The days on which the app can have been first launched, by Apple's timers.")
        case .installDayEstimate: ("Install day, estimate", "The most plausible of these days, an estimate.")
        case .framework: ("Framework", "SKAdNetwork or AdAttributionKit.")
        case .network: ("Ad network", "The ad network's id.")
        case .app: ("App", "The App Store id of the advertised app.")
        case .campaignID: ("Campaign", "The campaign id, 1 to 100, up to version 3.0.")
        case .sourceIdentifier:
            (
                "Source identifier",
                "Two to four digits as received, from 4.0 on: the last ones of the signed four, so 39 can be 5239."
            )
        case .sourceApp:
            (
                "Source app",
                "The App Store id of the app that showed the ad, 0 for a build signed for development; withheld in small "
                    + "crowds."
            )
        case .sourceDomain: ("Source domain", "The website that showed the ad; withheld in small crowds.")
        case .version: ("Version", "The version of SKAdNetwork.")
        case .fidelity: ("Fidelity", "1 for an ad that was tapped, 0 for one that was seen, any other as received.")
        case .redownload: ("Redownload", "Whether the person had the app before; version 1.0 does not sign it.")
        case .sequenceIndex: ("Window", "The number of the conversion window, from 0.")
        case .conversionType: ("Conversion type", "download, redownload or re-engagement, AdAttributionKit alone.")
        case .impressionType: ("Impression type", "app-impression, or what Apple added since; AdAttributionKit alone.")
        case .marketplace: ("Marketplace", "The marketplace that installed the app, AdAttributionKit alone.")
        case .country:
            (
                "Country",
                "The country code, from recent systems, or invalid for what is none; withheld in small crowds."
            )
        case .interactionType: ("Interaction", "How the ad was used: click, view or other; AdAttributionKit alone.")
        case .conversionValue: ("Conversion value", "The value as received: absent, null, invalid, fine or coarse.")
        case .recipient: ("Recipient", "Whose copy came first: the network's or the developer's.")
        }
    }
}
