import Attribution
package import AttributionStore
package import StrictJSON

/// A report with a name: its sections, and what they were counted from.
package struct StandardReport: Sendable {
    package let request: StandardReportRequest
    /// The sections, all counted up to the same position; only the requested one if the request names one.
    package let sections: [ReportSection]
    /// The position up to which postbacks were counted.
    package let position: LedgerPosition
    /// When the last of them was recorded, in Unix milliseconds; nil if there is none.
    package let recordedAtMilliseconds: Int64?
    /// The first day with a postback that the conditions select, up to the end of the period; nil if there is none.
    let firstDay: CalendarDay?
    /// Problems of the store that affect the figures.
    package let damage: [String]
    /// That networks of others may be counted; see ``NetworkWarning``.
    package let networkWarning: NetworkWarning?
    /// What limits the figures without being a problem, such as a period that begins before the first postback.
    package let notes: [String]
    /// Values in the conditions that no recorded postback has.
    package let unseen: [LedgerAnswer.UnseenValue]
    /// The version of the program that made it; nil if unknown.
    package let programVersion: String?

    package var name: StandardReportName {
        request.name
    }

    /// The name and version of the format, raised if the meaning of a column or key changes.
    private static let schema = "skan.standard-report/1"
}

extension StandardReport: RenderedReport {
    package var selection: ReportRequest { request.selection }
    package var sectionsWithObjects: [ReportSection] { sections }
    package var standardName: StandardReportName? { name }
    package var isExplained: Bool { request.isExplained }
    package var histograms: [Histogram]? { nil }
    package var introduction: [String] { notes + unseen.map(\.sentence) }
    package var conclusion: [String] { [] }
    package var lastObject: (type: String, members: [(String, JSONText)])? { nil }

    /// Which postbacks, days and filters, and the days they are compared with.
    package func title(_ style: TextStyle) -> String {
        let compared = request.previous.map { period in
            "compared with \(period.first == period.last ? "\(period.first)" : "\(period.first) to \(period.last)")"
        }
        return [selection.title(style), compared].compactMap(\.self).joined(separator: style.separator)
    }

    package func emptyLine(_ section: ReportSection) -> String? {
        section.rows.isEmpty ? "Nothing to show." : nil
    }

    /// What is said besides a CSV file, which has no room for it.
    package func remarks(_ style: TextStyle) -> [String] {
        style.wrapped(
            [title(style), asOfLine(style)] + warningLines + introduction
                + sections.flatMap { $0.notes + [$0.omittedRowsLine, $0.unsignedLine] })
    }

    package var scope: [(String, JSONText)] {
        [
            ("schema", .string(Self.schema)), version, ("report", .string(name.rawValue)),
            ("title", .string(name.title)),
        ] + selection.members + [
            ("period", Self.json(request.period)),
            ("previous-period", Self.json(request.previous)),
            ("first-day", firstDay.map { .string($0.description) } ?? .null),
        ] + origin + [
            ("notes", .array(notes.map(JSONText.string))), ("unseen", .array(unseen.map(\.json))),
        ]
    }

    package var json: JSONText {
        let sections = sections.map {
            JSONText.object($0.header(isExplained: isExplained) + $0.table(totalsHaveKeys: true))
        }
        return .object(scope + [("sections", .array(sections))])
    }

    private static func json(_ period: CalendarPeriod?) -> JSONText {
        period.map {
            .object([
                "from": .string($0.first.description), "to": .string($0.last.description), "days": .integer($0.count),
            ])
        } ?? .null
    }
}

package enum StandardReportName: String, CaseIterable, Hashable, Sendable {
    case overview, performance, campaigns, sources, conversions, windows, wins, redownloads
    case reEngagements = "re-engagements"
    case tiers, revenue, costs, delivery, estimates
}

extension StandardReportName {
    /// Whether it counts postbacks, which have networks and apps; deliveries in quarantine have none that is proven.
    package var countsPostbacks: Bool {
        StandardReportPlan(self).countsPostbacks
    }

    /// Whether it shows what ads cost, which can be selected by network and app alone.
    package var hasCosts: Bool {
        StandardReportPlan(self).hasCosts
    }

    package var title: String { words.title }
    /// What the report shows, in one line.
    package var meaning: String { words.meaning }

    private var words: (title: String, meaning: String) {
        switch self {
        case .overview: ("Overview", "Whether all is well, and the most important figures of the other reports.")
        case .performance:
            (
                "Performance",
                "Spend, installs and revenue of each campaign beside each other, with what an install cost and brought."
            )
        case .campaigns: ("Campaigns", "Installs of each campaign of an app, and their quality.")
        case .sources: ("Sources", "Installs by the app or the website that showed the ad.")
        case .conversions:
            ("Conversion values", "Conversion values as received, one row each; no value is not the value 0.")
        case .windows:
            (
                "Conversion windows",
                "The first, second and third postback of installs, and how many can have arrived yet."
            )
        case .wins:
            (
                "Wins and losses",
                "Ads that were credited with the install, and ads that were not; only ad networks get both."
            )
        case .redownloads:
            ("Redownloads", "Installs by people who never had the app, and by people who had it before.")
        case .reEngagements:
            ("Re-engagements", "People who had the app and came back through an ad, AdAttributionKit alone.")
        case .tiers:
            ("Data tiers", "The data tier that Apple chose for each postback, as bounds: postbacks do not name it.")
        case .revenue:
            ("Revenue", "What conversion values are worth by the schemas of their apps, as bounds in each currency.")
        case .costs: ("Costs", "Installs per thousand ads signed, and what an install cost, in each currency.")
        case .delivery:
            ("Deliveries", "What became of every delivery: recorded, duplicate, conflict or quarantined, and why.")
        case .estimates:
            ("Estimates", "Conversion values and revenue, with withheld values filled in by those of like postbacks.")
        }
    }
}
