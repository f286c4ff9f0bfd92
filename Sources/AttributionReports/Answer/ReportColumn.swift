import Attribution
import StrictJSON

/// A figure of a report as a column: its stable name and how it is taken from the counts.
package struct ReportColumn: Sendable {
    /// A value in a cell.
    enum Value: Sendable {
        case count(Int64)
        /// A rate or mean; nil when nothing was counted it could be taken of.
        case ratio(Double?, places: Int)
        case histogram([(value: UInt8, count: Int64)])
    }

    /// The stable name.
    package let name: String
    /// What has to be signed for the figure to be proven.
    var basis = Basis.signed
    let value: @Sendable (Counts) -> Value

    /// What a figure rests on.
    enum Basis {
        /// Fields that every version signs.
        case signed
        /// `redownload`, which every version but 1.0 signs.
        case redownload
        /// Fields that nobody signs.
        case unsigned
    }

    /// Whether the figure rests on what Apple signs alone, for the postbacks counted.
    func isProven(in counts: Counts) -> Bool {
        switch basis {
        case .signed: true
        case .redownload: counts[.unprovenRedownloads] == 0
        case .unsigned: false
        }
    }

    /// The columns of every output, in order.
    package static let all: [ReportColumn] = [
        counter("postbacks", .postbacks),
        counter("installs", .installs),
        ReportColumn(name: "redownloads", basis: .redownload) { .count($0[.redownloads]) },
        ReportColumn(name: "redownload-known", basis: .redownload) { .count($0.knownRedownloads) },
        counter("redownload-unproven", .unprovenRedownloads),
        ReportColumn(name: "redownload-rate", basis: .redownload) { .ratio($0.redownloadRate, places: 4) },
        counter("wins", .wins),
        counter("losses", .losses),
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

    /// The columns of forms whose cells hold one number each: all but histograms.
    static let single = all.filter { !$0.isHistogram }

    /// Whether its values are objects, which no cell of a table can hold.
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
    /// The value in JSON; null for a rate of nothing.
    var json: JSONText {
        switch self {
        case .count(let count): .integer(count)
        case .ratio(let ratio, let places): ratio.map { .decimal($0, places: places) } ?? .null
        case .histogram(let counts): .object(counts.map { (String($0.value), .integer($0.count)) })
        }
    }

    /// The value in a cell; empty for a rate of nothing, and for a histogram, which has no cell.
    var text: String {
        switch self {
        case .count(let count): String(count)
        case .ratio(let ratio, let places): ratio?.fixed(places: places) ?? ""
        case .histogram: ""
        }
    }
}
