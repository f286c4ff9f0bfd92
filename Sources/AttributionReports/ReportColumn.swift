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
    let value: @Sendable (Metrics) -> Value

    /// The columns of every output, in order.
    static let all: [ReportColumn] = [
        counter("postbacks", .postbacks),
        counter("installs", .installs),
        counter("redownloads", .redownloads),
        ReportColumn(name: "redownload-rate") { .ratio($0.redownloadRate, places: 4) },
        counter("wins", .wins),
        counter("losses", .losses),
        ReportColumn(name: "loss-rate") { .ratio($0.lossRate, places: 4) },
        ReportColumn(name: "conversion-null") { .count($0.nullConversions) },
        ReportColumn(name: "null-rate") { .ratio($0.nullRate, places: 4) },
        ReportColumn(name: "conversion-mean") { .ratio($0.meanFineConversion, places: 2) },
        counter("coarse-low", .conversion(.coarse(.low))),
        counter("coarse-medium", .conversion(.coarse(.medium))),
        counter("coarse-high", .conversion(.coarse(.high))),
        counter("window-2", .secondWindow),
        counter("window-3", .thirdWindow),
        counter("later-null", .laterConversion(.absent), .laterConversion(.null)),
        counter("later-low", .laterConversion(.coarse(.low))),
        counter("later-medium", .laterConversion(.coarse(.medium))),
        counter("later-high", .laterConversion(.coarse(.high))),
        ReportColumn(name: "conversion-values") { .histogram($0.fineHistogram) },
    ]

    /// The columns of a table for a terminal: what fits a line; the other formats have them all.
    static let table = all.filter {
        !$0.name.hasPrefix("later-") && !$0.name.hasPrefix("coarse-") && $0.name != "conversion-values"
    }

    private static func counter(_ name: String, _ counters: Metrics.Counter...) -> ReportColumn {
        ReportColumn(name: name) { metrics in
            .count(counters.reduce(0) { $0 + metrics[$1] })
        }
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
