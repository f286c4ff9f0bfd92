package import Attribution

/// A column whose cells follow from counts.
package struct ReportFigure: Sendable {
    package let column: ReportColumn
    /// Makes the cell of some counts.
    package let cell: @Sendable (Counts) -> ReportCell

    package var name: String {
        column.name
    }

    /// Whether cells are histograms, for which only JSON has room.
    let isHistogram: Bool

    init(_ column: ReportColumn, isHistogram: Bool = false, cell: @escaping @Sendable (Counts) -> ReportCell) {
        self.column = column
        self.cell = cell
        self.isHistogram = isHistogram
    }

    var compared: ReportFigure {
        ReportFigure(column.comparing(), cell: cell)
    }

    /// Whether it depends on `redownload`, which version 1.0 does not sign.
    package var dependsOnRedownload: Bool {
        ["redownloads", "redownload-known", "redownload-unproven", "redownload-rate"].contains(column.name)
    }

    /// Its column in a free report: unsigned if any of the counted values is, and under its stable name.
    func plainColumn(of totals: Counts) -> ReportColumn {
        let isProven = column.basis == .signed && !(dependsOnRedownload && totals[.unprovenRedownloads] > 0)
        return ReportColumn(column.name, column.name, column.kind, isProven ? .signed : .unsigned, "")
    }

    /// Its cell in a free report, where a rate is a number.
    func plainCell(_ counts: Counts) -> ReportCell {
        let cell = cell(counts)
        guard case .share = cell else {
            return cell
        }
        return cell.number.map { .decimal($0, places: 4) } ?? .absent
    }

    static func count(
        _ name: String,
        _ title: String,
        _ basis: ReportDimension.Basis,
        _ definition: String,
        _ count: @escaping @Sendable (Counts) -> Int64
    ) -> ReportFigure {
        ReportFigure(ReportColumn(name, title, .count, basis, definition)) { .count(count($0)) }
    }

    private static func rate(
        _ name: String,
        _ title: String,
        _ basis: ReportDimension.Basis,
        _ definition: String,
        of denominator: ReportFigure,
        _ part: @escaping @Sendable (Counts) -> Int64
    ) -> ReportFigure {
        ReportFigure(ReportColumn(name, title, .share, basis, definition, denominator: denominator.column.name)) {
            .rate(part($0), of: denominator.cell($0).count)
        }
    }

    /// A figure of free reports alone, which do not define their columns.
    private static func plain(_ name: String, _ counters: Counts.Counter...) -> ReportFigure {
        count(name, "", .unsigned, "") { counts in counters.reduce(0) { $0 + counts[$1] } }
    }

    private static func histogram(
        _ name: String,
        _ values: @escaping @Sendable (Counts) -> [(value: UInt8, count: Int64)]
    ) -> ReportFigure {
        ReportFigure(ReportColumn(name, "", .count, .unsigned, ""), isHistogram: true) { counts in
            .histogram(values(counts).map { ReportCell.ValueCount(value: $0.value, count: $0.count) })
        }
    }

    package static let all: [ReportFigure] = [
        postbacks, installs, redownloads, redownloadKnown, redownloadUnproven, redownloadRate, wins, losses, decided,
        rate("loss-rate", "", .signed, "", of: decided) { $0[.losses] },
        conversionNull, nullRate, plain("conversion-invalid", .conversion(.invalid)), conversionFine, conversionMean,
        plain("coarse-low", .conversion(.coarse(.low))),
        plain("coarse-medium", .conversion(.coarse(.medium))),
        plain("coarse-high", .conversion(.coarse(.high))),
        secondWindow, thirdWindow,
        plain("later-null", .laterConversion(.absent), .laterConversion(.null)),
        plain("later-invalid", .laterConversion(.invalid)),
        plain("later-low", .laterConversion(.coarse(.low))),
        plain("later-medium", .laterConversion(.coarse(.medium))),
        plain("later-high", .laterConversion(.coarse(.high))),
        histogram("conversion-values") { $0.fineHistogram },
        reengagements, laterReengagements, reengagementNull,
        plain("re-engagement-invalid", .reengagementConversion(.invalid)),
        plain("re-engagement-low", .reengagementConversion(.coarse(.low))),
        plain("re-engagement-medium", .reengagementConversion(.coarse(.medium))),
        plain("re-engagement-high", .reengagementConversion(.coarse(.high))),
        histogram("re-engagement-values") { $0.reengagementHistogram },
    ]
}

extension ReportFigure {
    static let postbacks = count(
        "postbacks", "Postbacks", .signed, "Verified postbacks, each counted once."
    ) { $0[.postbacks] }
    static let installs = count(
        "installs", "Installs", .signed,
        "First postbacks of winners, new installs and redownloads; versions before 3.0 have winners only."
    ) { $0[.installs] }

    // MARK: Redownloads

    static let newInstalls = count(
        "new-installs", "New installs", .signed,
        "Installs by people who never had the app; version 1.0 does not sign it."
    ) { $0[.newInstalls] }
    static let redownloads = count(
        "redownloads", "Redownloads", .signed,
        "Installs by people who had the app before; version 1.0 does not sign it."
    ) { $0[.redownloads] }
    static let redownloadKnown = count(
        "redownload-known", "Kind known", .signed,
        "Installs that say whether they are redownloads; version 1.0 may leave it out."
    ) { $0.knownRedownloads }
    static let redownloadUnproven = count(
        "redownload-unproven", "Kind not signed", .signed,
        "Those of version 1.0, which does not sign whether they are redownloads."
    ) { $0[.unprovenRedownloads] }
    static let redownloadRate = rate(
        "redownload-rate", "Redownload rate", .signed, "Redownloads per install whose kind is known.",
        of: redownloadKnown
    ) { $0[.redownloads] }

    // MARK: Wins and losses

    static let wins = count(
        "wins", "Won", .signed, "First postbacks with did-win true, from version 3.0 on."
    ) { $0[.wins] }
    static let losses = count(
        "losses", "Lost", .signed, "Postbacks with did-win false: another network won the install."
    ) { $0[.losses] }
    static let decided = count(
        "decided", "Won or lost", .signed, "The sum of won and lost."
    ) { $0[.wins] + $0[.losses] }
    static let winRate = rate(
        "win-rate", "Win rate", .signed, "The share of won in won and lost.", of: decided
    ) { $0[.wins] }

    // MARK: Conversion values

    static let conversionNull = count(
        "conversion-null", "No value", .unsigned,
        "Installs without a conversion value, absent or null; not the value 0."
    ) { $0.nullConversions }
    static let nullRate = rate(
        "null-rate", "No value, rate", .unsigned, "The share of installs without a conversion value.", of: installs
    ) { $0.nullConversions }
    static let conversionFine = count(
        "conversion-fine", "Fine values", .unsigned, "Installs with a conversion value from 0 to 63."
    ) { $0.fineConversions }
    static let conversionMean = ReportFigure(
        ReportColumn(
            "conversion-mean", "Fine value, mean", .mean, .unsigned, "The mean of the fine values of installs.",
            denominator: "conversion-fine")
    ) { .average($0.fineConversionSum, of: $0.fineConversions) }

    // MARK: Windows and re-engagements

    static let secondWindow = count(
        "window-2", "Second window", .signed, "Second postbacks of installs; the install was counted before."
    ) { $0[.secondWindow] }
    static let thirdWindow = count(
        "window-3", "Third window", .signed, "Third postbacks of installs; the install was counted before."
    ) { $0[.thirdWindow] }
    static let reengagements = count(
        "re-engagements", "Re-engagements", .signed,
        "First postbacks of re-engagements of AdAttributionKit, which are not installs."
    ) { $0[.reengagements] }
    static let laterReengagements = count(
        "re-engagements-later", "Later windows", .signed, "Second and third postbacks of re-engagements."
    ) { $0[.laterReengagements] }
    static let reengagementNull = count(
        "re-engagement-null", "No value", .unsigned, "Re-engagements without a conversion value, absent or null."
    ) { $0.nullReengagements }
    static let reengagementNullRate = rate(
        "re-engagement-null-rate", "No value, rate", .unsigned,
        "The share of re-engagements without a conversion value.", of: reengagements
    ) { $0.nullReengagements }
}
