package import Attribution
import StrictJSON

/// A column of a report: its stable name and how its figure is computed from the counts.
package struct ReportColumn: Sendable {
    /// A value in a cell.
    package enum Value: Sendable {
        case count(Int64)
        /// A rate or mean; nil if its denominator is 0.
        case ratio(Double?, places: Int)
        case histogram([(value: UInt8, count: Int64)])
    }

    /// The stable name.
    package let name: String
    /// Which fields the figure depends on.
    package var basis = Basis.signed
    /// Computes the figure.
    package let value: @Sendable (Counts) -> Value

    /// The fields a figure depends on.
    package enum Basis: Sendable {
        /// Fields signed in every version.
        case signed
        /// `redownload`, signed in every version but 1.0.
        case redownload
        /// Unsigned fields.
        case unsigned
    }

    /// Whether the figure depends only on fields that Apple signed in the counted postbacks.
    package func isProven(in counts: Counts) -> Bool {
        switch basis {
        case .signed: true
        case .redownload: counts[.unprovenRedownloads] == 0
        case .unsigned: false
        }
    }

    /// All columns, in order.
    package static let all: [ReportColumn] = [
        counter("postbacks", .postbacks),
        counter("installs", .installs),
        ReportColumn(name: "redownloads", basis: .redownload) { .count($0[.redownloads]) },
        ReportColumn(name: "redownload-known", basis: .redownload) { .count($0.knownRedownloads) },
        counter("redownload-unproven", .unprovenRedownloads),
        ReportColumn(name: "redownload-rate", basis: .redownload) { .ratio($0.redownloadRate, places: 4) },
        counter("wins", .wins),
        counter("losses", .losses),
        counter("decided", .wins, .losses),
        ReportColumn(name: "loss-rate") { .ratio($0.lossRate, places: 4) },
        unproven("conversion-null") { .count($0.nullConversions) },
        unproven("null-rate") { .ratio($0.nullRate, places: 4) },
        unproven("conversion-invalid", .conversion(.invalid)),
        unproven("conversion-fine") { .count($0.fineConversions) },
        unproven("conversion-mean") { .ratio($0.meanFineConversion, places: 2) },
        unproven("coarse-low", .conversion(.coarse(.low))),
        unproven("coarse-medium", .conversion(.coarse(.medium))),
        unproven("coarse-high", .conversion(.coarse(.high))),
        counter("window-2", .secondWindow),
        counter("window-3", .thirdWindow),
        unproven("later-null", .laterConversion(.absent), .laterConversion(.null)),
        unproven("later-invalid", .laterConversion(.invalid)),
        unproven("later-low", .laterConversion(.coarse(.low))),
        unproven("later-medium", .laterConversion(.coarse(.medium))),
        unproven("later-high", .laterConversion(.coarse(.high))),
        unproven("conversion-values") { .histogram($0.fineHistogram) },
        counter("re-engagements", .reengagements),
        counter("re-engagements-later", .laterReengagements),
        unproven("re-engagement-null") { .count($0.nullReengagements) },
        unproven("re-engagement-invalid", .reengagementConversion(.invalid)),
        unproven("re-engagement-low", .reengagementConversion(.coarse(.low))),
        unproven("re-engagement-medium", .reengagementConversion(.coarse(.medium))),
        unproven("re-engagement-high", .reengagementConversion(.coarse(.high))),
        unproven("re-engagement-values") { .histogram($0.reengagementHistogram) },
    ]

    /// The columns with one number per cell: all but histograms.
    static let single = all.filter { !$0.isHistogram }

    /// Whether its values are objects, which a table cell cannot hold.
    var isHistogram: Bool {
        if case .histogram = value(Counts()) { true } else { false }
    }

    private static func counter(_ name: String, _ counters: Counts.Counter...) -> ReportColumn {
        ReportColumn(name: name) { counts in
            .count(counters.reduce(0) { $0 + counts[$1] })
        }
    }

    private static func unproven(_ name: String, _ counters: Counts.Counter...) -> ReportColumn {
        unproven(name) { counts in
            .count(counters.reduce(0) { $0 + counts[$1] })
        }
    }

    private static func unproven(_ name: String, _ value: @escaping @Sendable (Counts) -> Value) -> ReportColumn {
        ReportColumn(name: name, basis: .unsigned, value: value)
    }
}

extension ReportColumn.Value {
    /// The value in JSON; null for a rate with denominator 0.
    var json: JSONText {
        switch self {
        case .count(let count): .integer(count)
        case .ratio(let ratio, let places): ratio.map { .decimal($0, places: places) } ?? .null
        case .histogram(let counts): .object(counts.map { (String($0.value), .integer($0.count)) })
        }
    }

    /// The value in a table cell; empty for a rate with denominator 0, and for a histogram.
    var text: String {
        switch self {
        case .count(let count): String(count)
        case .ratio(let ratio, let places): ratio?.fixed(places: places) ?? ""
        case .histogram: ""
        }
    }
}
