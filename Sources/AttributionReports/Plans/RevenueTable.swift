import Attribution

/// What postbacks are worth: how many have revenue, and its bounds in each currency.
struct RevenueSums: Summable {
    /// The revenue in one currency.
    struct Amount: Hashable {
        /// How many postbacks have revenue in it.
        var postbacks: Int64 = 0
        /// How many of them have a value of either of two schemas.
        var between: Int64 = 0
        /// The least and the greatest revenue.
        var low = Money.zero
        var high = Money.zero

        static func + (lhs: Self, rhs: Self) -> Self {
            Amount(
                postbacks: lhs.postbacks + rhs.postbacks, between: lhs.between + rhs.between, low: lhs.low + rhs.low,
                high: lhs.high + rhs.high)
        }
    }

    private(set) var amounts: [CurrencyCode: Amount] = [:]
    /// How many postbacks have no revenue that could be added.
    private(set) var withoutRevenue: Int64 = 0

    /// Adds postbacks with the same value.
    mutating func add(_ decoded: DecodedConversion, times count: Int64) {
        guard count > 0 else {
            return
        }
        guard let (bounds, currency) = decoded.revenue else {
            withoutRevenue += count
            return
        }
        let amount = Amount(
            postbacks: count, between: decoded.outcome == .between ? count : 0, low: bounds.lowerBound * count,
            high: bounds.upperBound * count)
        amounts[currency] = (amounts[currency] ?? Amount()) + amount
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.amounts.merge(rhs.amounts, uniquingKeysWith: +)
        lhs.withoutRevenue += rhs.withoutRevenue
    }
}

/// Makes sections of revenue: a row for each combination of keys and currency, for currencies are never added.
struct RevenueTable {
    private let keys: [ReportColumn]
    private var sums: KeyedSums<RevenueSums>

    init(_ keys: [ReportColumn], isCompared: Bool) {
        self.keys = keys
        sums = KeyedSums(isCompared: isCompared)
    }

    mutating func add(_ values: [String], _ decoded: DecodedConversion, _ current: Int64, _ previous: Int64?) {
        sums.add(values, current, previous) { $0.add(decoded, times: $1) }
    }

    private static let figures: [ReportColumn] = [
        figure(
            "postbacks", "Postbacks", .count,
            "Postbacks whose value means revenue in the currency; without a currency, those without revenue."),
        figure(
            "between-schemas", "Of two schemas", .count,
            "Those that may have been set by either of two schemas; their revenue is bounded by both."),
        figure("revenue-low", "Revenue, low", .money, "The sum of the least revenue of each value."),
        figure("revenue-mid", "Revenue, mid", .money, "The middle between low and high; nothing is modelled."),
        figure("revenue-high", "Revenue, high", .money, "The sum of the greatest revenue of each value."),
    ]

    private static func figure(
        _ name: String, _ title: String, _ kind: ReportColumn.Kind, _ definition: String
    ) -> ReportColumn {
        ReportColumn(name, title, kind, .unsigned, definition, isCompared: true)
    }

    private static let currency = ReportColumn.names(
        "currency", "Currency", .ours, "The currency of the revenue; empty for postbacks without revenue.")

    /// The section: in each currency the most revenue first, and postbacks without revenue last.
    ///
    /// With `rollUp`, keys begin with those of a campaign; the rows of one currency are brought together as it says, and
    /// get its candidates.
    func section(
        _ name: String,
        _ title: String,
        _ meaning: String,
        top: Int? = nil,
        rollUp: CampaignRollUp? = nil,
        notes: [String] = []
    ) -> ReportSection {
        var rows = sums.rows.values.flatMap(Self.rows).sorted()
        if let rollUp {
            var arranged: [Row] = []
            // Rows of one currency are adjacent.
            for start in rows.indices where start == 0 || rows[start - 1].currency != rows[start].currency {
                let same = Array(rows[start...].prefix { $0.currency == rows[start].currency })
                arranged += rollUp.together(same) { CampaignKey($0.values[..<4]) }
            }
            rows = arranged.map { $0.with(rollUp.values(CampaignKey($0.values[..<4])) + $0.values[4...]) }
        }
        let shown = rows.prefix(top ?? .max)
        let saturated = rows.contains { $0.current.high.isSaturated || $0.previous?.high.isSaturated == true }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: keys + [Self.currency] + Self.figures,
            rows: shown.map(\.sectionRow), omittedRows: rows.count - shown.count,
            notes: notes + (saturated ? [Self.saturation] : []))
    }

    /// A row for each currency, and one for postbacks without revenue, if there are any.
    private static func rows(_ sum: SumRow<RevenueSums>) -> [Row] {
        let currencies = Set(sum.current.amounts.keys).union(sum.previous?.amounts.keys ?? [:].keys)
        let rows = currencies.map { currency in
            Row(
                values: sum.values, currency: currency, current: sum.current.amounts[currency] ?? .init(),
                previous: sum.previous.map { $0.amounts[currency] ?? .init() })
        }
        guard sum.current.withoutRevenue > 0 || sum.previous?.withoutRevenue ?? 0 > 0 else {
            return rows
        }
        let without = Row(
            values: sum.values, currency: nil, current: .init(postbacks: sum.current.withoutRevenue),
            previous: sum.previous.map { .init(postbacks: $0.withoutRevenue) })
        return rows + [without]
    }

    private static let saturation =
        "Amounts with > are greater than can be counted exactly; check the revenue in the schemas."

    /// The revenue of some keys in one currency, or their postbacks without revenue.
    private struct Row: Comparable {
        private(set) var values: [String]
        let currency: CurrencyCode?
        let current: RevenueSums.Amount
        let previous: RevenueSums.Amount?

        func with(_ values: [String]) -> Row {
            var row = self
            row.values = values
            return row
        }

        var sectionRow: ReportSectionRow {
            let names = (values + [currency?.text ?? ""]).map(ReportCell.key)
            return ReportSectionRow(names + cells(current), previous: previous.map { names + cells($0) })
        }

        private func cells(_ amount: RevenueSums.Amount) -> [ReportCell] {
            guard currency != nil else {
                return [.count(amount.postbacks), .absent, .absent, .absent, .absent]
            }
            return [
                .count(amount.postbacks), .count(amount.between), .money(amount.low),
                .money(.middle(amount.low, amount.high)), .money(amount.high),
            ]
        }

        static func < (left: Row, right: Row) -> Bool {
            guard left.currency == right.currency else {
                return right.currency.map { other in left.currency.map { $0 < other } ?? false } ?? true
            }
            guard left.current == right.current else {
                return (left.current.high, left.current.low, left.current.postbacks)
                    > (right.current.high, right.current.low, right.current.postbacks)
            }
            return left.values.map { OrderedValue($0) }.lexicographicallyPrecedes(right.values.map { OrderedValue($0) })
        }
    }
}

/// Decodes the values in the rows of a breakdown, whose first value is a segment between two days on which the
/// meaning of values may change.
struct RevenueDecoder {
    /// The dimensions of the rows, after the segment.
    static let dimensions: [ReportDimension] =
        StandardReportPlan.campaignDimensions + [.version, .sequenceIndex, .conversionValue]

    /// A postback's place in the sections.
    struct Row {
        /// The network, the app, the campaign id and the source identifier.
        let campaign: [String]
        /// The conversion window, from 0.
        let window: Int
        /// What its value means.
        let decoded: DecodedConversion
        /// When it arrived, as an index of a segment.
        let segment: Int
        let timing: PostbackTiming

        var app: String {
            campaign[1]
        }
    }

    private let schemas: ConversionSchemas
    /// Where segments begin, in Unix milliseconds; the first one has no beginning.
    let cuts: [Int64]

    init(_ schemas: ConversionSchemas) {
        self.schemas = schemas
        cuts = Self.cuts(schemas)
    }

    /// The moments at which the schemas that a postback may be of can change, in Unix milliseconds.
    static func cuts(_ schemas: ConversionSchemas) -> [Int64] {
        let bands = schemas.apps.flatMap { schemas.changes(of: $0) }.flatMap { change in
            PostbackTiming.allCases.map { change.band($0) }
        }
        return Set(bands.flatMap { [$0.lowerBound, $0.upperBound] }).sorted()
    }

    /// A moment of a segment; the schemas that a postback may be of are the same in all of it.
    private func moment(of segment: Int) -> Range<Int64> {
        guard let first = cuts.first else {
            return 0..<1
        }
        let start = segment == 0 ? first - 1 : cuts[min(segment, cuts.count) - 1]
        return start..<(start + 1)
    }

    func isWithin(_ band: Range<Int64>, segment: Int) -> Bool {
        band.contains(moment(of: segment).lowerBound)
    }

    func row(_ values: [String]) -> Row? {
        guard let segment = Int(values[0]), let app = Int64(values[2]), let conversion = Conversion(values[7]) else {
            return nil
        }
        let sequenceIndex = Int64(values[6])
        let timing = PostbackTiming(
            version: SKAdNetworkVersion(rawValue: values[5]), sequenceIndex: sequenceIndex)
        let window = Int(sequenceIndex ?? 0)
        let candidates = schemas.candidates(
            for: AppStoreItemID(app), arrival: moment(of: segment), timing: timing)
        return Row(
            campaign: Array(values[1...4]), window: window,
            decoded: DecodedConversion(
                conversion, window: window, candidates.schemas, mayHaveNone: candidates.mayHaveNone),
            segment: segment, timing: timing)
    }
}

extension Counts {
    /// Postbacks of winners, which alone have conversion values.
    var withValues: Int64 {
        self[.postbacks] - self[.losses]
    }

    /// Those of them that report re-engagements.
    var reengagementPostbacks: Int64 {
        self[.reengagements] + self[.laterReengagements]
    }
}
