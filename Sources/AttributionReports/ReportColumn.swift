import Attribution

/// A figure of a report as a column: its stable name and how it is taken from the metrics.
struct ReportColumn: Sendable {
    /// A value in a cell.
    enum Value: Sendable {
        case count(Int64)
        /// A rate or mean; nil when nothing was counted it could be taken of.
        case ratio(Double?, places: Int)
        case histogram([(value: UInt8, count: Int64)])
    }

    let name: String
    /// What has to be signed for the figure to be proven.
    var basis = Basis.signed
    let value: @Sendable (Metrics) -> Value

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
    func isProven(in metrics: Metrics) -> Bool {
        switch basis {
        case .signed: true
        case .redownload: metrics[.unprovenRedownloads] == 0
        case .unsigned: false
        }
    }

    /// The columns of every output, in order.
    static let all: [ReportColumn] = [
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

    /// The columns of a table for a terminal: what fits a line; the other formats have them all.
    static let table = all.filter {
        !$0.name.hasPrefix("later-") && !$0.name.hasPrefix("coarse-") && !$0.name.hasPrefix("re-engagement-")
            && ![
                "redownload-unproven", "conversion-values", "conversion-fine", "re-engagements-later",
            ].contains($0.name)
    }

    private static func counter(_ name: String, _ counters: Metrics.Counter...) -> ReportColumn {
        ReportColumn(name: name) { metrics in
            .count(counters.reduce(0) { $0 + metrics[$1] })
        }
    }

    private static func unproven(_ name: String, _ counters: Metrics.Counter...) -> ReportColumn {
        unproven(name) { metrics in
            .count(counters.reduce(0) { $0 + metrics[$1] })
        }
    }

    private static func unproven(_ name: String, _ value: @escaping @Sendable (Metrics) -> Value) -> ReportColumn {
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

    /// The value in a cell; empty for a rate of nothing.
    var text: String {
        switch self {
        case .count(let count): String(count)
        case .ratio(let ratio, let places): ratio?.fixed(places: places) ?? ""
        case .histogram(let counts): counts.map { "\($0.value):\($0.count)" }.joined(separator: " ")
        }
    }
}
