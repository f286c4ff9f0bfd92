import ArgumentParser
import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import Foundation

extension CompletionKind {
    /// The dimensions of a report, comma-separated.
    static let dimensions = commaSeparated { dimensionNames }

    /// The names of standard reports.
    static let standardReports = CompletionKind.list(StandardReportName.allCases.map(\.rawValue))

    /// The sections of all standard reports.
    static let reportSections = CompletionKind.list(
        Set(StandardReportName.allCases.flatMap { StandardReportPlan($0).sectionNames }).sorted())

    /// The figures of a report, comma-separated.
    static let figures = commaSeparated { ReportFigure.all.map(\.name) }

    /// The sort keys of a report, in either direction.
    static let sortKeys: CompletionKind = {
        let names = ReportFigure.all.map(\.name) + ReportDimension.allCases.map(\.rawValue)
        return .list(names + names.map { "-\($0)" })
    }()

    /// The prefixes of filters; only a store knows the values.
    static let filters = CompletionKind.list(
        ReportDimension.allCases.filter { !$0.isTime }.map { "\($0.rawValue)=" })

    /// The names of periods.
    static let periods = CompletionKind.list(CalendarPeriod.names)

    /// The time zones, which are too many to include in a script.
    static let timeZones = CompletionKind.custom { _, _, _ in ["UTC"] + TimeZone.knownTimeZoneIdentifiers }

    /// The scopes of tokens, comma-separated.
    static let scopes = commaSeparated { AccessScope.allCases.map(\.rawValue) }

    /// The reasons for which deliveries are in quarantine.
    static let quarantineReasons = CompletionKind.list(QuarantineQuery.reasons)

    private static var dimensionNames: [String] {
        ReportDimension.allCases.map(\.rawValue) + ["campaign", "source"]
    }

    /// Completes the last name of a list with those not yet in it.
    private static func commaSeparated(_ names: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, text in
            let given = text.split(separator: ",", omittingEmptySubsequences: false).dropLast().map { String($0) }
            return names().filter { !given.contains($0) }.map { (given + [$0]).joined(separator: ",") }
        }
    }
}
