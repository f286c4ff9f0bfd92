package import Attribution
package import AttributionStore
package import StrictJSON

/// A free report: rows, their totals, and the deliveries of the same days.
package struct Report: Sendable {
    package let request: ReportRequest
    package let rows: ReportRows
    /// How many rows ``ReportRequest/top`` omits.
    package let omittedRows: Int
    /// The sum of all rows, including omitted ones.
    package let totals: Counts
    /// The deliveries of the days as of now; unfiltered, because quarantined deliveries have no proven dimensions.
    package let deliveries: DeliveryCounts
    /// The position up to which postbacks were counted.
    package let position: LedgerPosition
    /// Problems of the store that affect the report.
    package let damage: [String]
    /// That networks of others may be counted; see ``NetworkWarning``.
    package let networkWarning: NetworkWarning?
    /// How many of the postbacks are tests; see ``DevelopmentBuilds``.
    package let note: String?
    /// When the last postback of the store was recorded, in Unix milliseconds; nil if there is none, and for a limited
    /// request.
    package let recordedAtMilliseconds: Int64?
    /// Values in the filters that no recorded postback has.
    package let unseen: [LedgerAnswer.UnseenValue]
    /// What campaigns and apps are called; nil without a file of names.
    private let names: CampaignMap?
    /// The version of the program that made it; nil if unknown.
    package let programVersion: String?

    package init(
        request: ReportRequest,
        answer: LedgerAnswer,
        networkWarning: NetworkWarning? = nil,
        note: String? = nil,
        names: CampaignMap? = nil,
        programVersion: String?
    ) {
        self.request = request
        rows = ReportRows(answer.rows, request)
        omittedRows = answer.rows.count - rows.count
        totals = answer.totals
        deliveries = answer.deliveries
        position = answer.position
        damage = [answer].damage
        self.networkWarning = networkWarning
        self.note = note
        recordedAtMilliseconds = request.isLimited ? nil : answer.recordedAtMilliseconds
        unseen = answer.unseen(by: request)
        self.names = names
        self.programVersion = programVersion
    }

    /// The name and version of the format, raised if the meaning of a column or key changes.
    package static let schema = "skan.report/2"
}

extension Report: RenderedReport {
    package var selection: ReportRequest { request }
    package var standardName: StandardReportName? { nil }
    package var isExplained: Bool { false }
    package var introduction: [String] { [] }

    private var notes: [String] {
        [note].compactMap(\.self)
    }

    package var histograms: [Histogram]? {
        request.showsHistogram ? Histogram.all(totals) : nil
    }

    package var sections: [ReportSection] {
        [section(request.figures ?? ReportFigure.all.filter { !$0.isHistogram })]
    }

    package var sectionsWithObjects: [ReportSection] {
        [section(request.figures ?? ReportFigure.all)]
    }

    private func section(_ figures: [ReportFigure]) -> ReportSection {
        let rows = rows
        @Sendable func row(_ values: [String], _ counts: Counts) -> ReportSectionRow {
            ReportSectionRow(values.map(ReportCell.key) + figures.map { $0.plainCell(counts) })
        }
        let section = ReportSection(
            name: "report", title: "", meaning: "",
            columns: request.dimensions.map { dimension in
                ReportColumn(dimension.rawValue, dimension.rawValue, .key, dimension.basis, "", dimension: dimension)
            } + figures.map { $0.plainColumn(of: totals) },
            rows: ReportSectionRows(count: rows.count) { row(rows[$0].values, rows[$0].counts) },
            totals: row(request.dimensions.map { _ in "" }, totals), omittedRows: omittedRows)
        return names.map { section.named(by: $0, days: request.namedDays) } ?? section
    }

    package func title(_ style: TextStyle) -> String {
        request.title(style)
    }

    package func emptyLine(_ section: ReportSection) -> String? {
        guard rows.isEmpty, omittedRows == 0, totals[.postbacks] == 0 else {
            return nil
        }
        let isEverything = request.conditions.isEmpty && request.received == nil && request.asOf == nil
        return "No postbacks recorded\(isEverything ? " yet" : " for these")."
    }

    package var conclusion: [String] {
        notes + unseen.map(\.sentence) + [unprovenLine] + installDayLines + deliveryLines
    }

    /// What is said besides a CSV file, which has no room for it, and without the warnings.
    package func remarks(_ style: TextStyle) -> [String] {
        style.wrapped(
            [asOfLine(style), sections[0].omittedRowsLine] + notes + unseen.map(\.sentence) + installDayLines
                + deliveryLines)
    }

    // MARK: JSON

    package var scope: [(String, JSONText)] {
        [("schema", .string(Self.schema)), version] + request.members + origin + [
            ("notes", .array(notes.map(JSONText.string))),
            ("unproven", .array(unprovenNames.map(JSONText.string))), ("unseen", .array(unseen.map(\.json))),
        ]
    }

    package var json: JSONText {
        .object(
            scope + sectionsWithObjects[0].table(totalsHaveKeys: false)
                + [("deliveries", request.isLimited ? .null : deliveries.json)])
    }

    package var lastObject: (type: String, members: [(String, JSONText)])? {
        request.isLimited ? nil : ("deliveries", deliveries.members)
    }

    // MARK: Unsigned fields and deliveries

    /// What days of the install say, and what they do not.
    package var installDayLines: [String] {
        guard request.dimensions.contains(where: \.isOfInstall) else {
            return []
        }
        return [
            "The install days are those on which the app can have been first launched, by Apple's timers, if the postback "
                + "arrived at the first try; repeats take up to \(PostbackTiming.retries) days more. The estimate is one of "
                + "these days: as if no window was locked, no timer started again, and the delay was the mean one. "
                + "Postbacks of the last days' installs are still to come."
        ]
    }

    /// The outcomes of the deliveries of all networks; nothing for a limited request.
    private var deliveryLines: [String] {
        request.isLimited ? [] : deliveries.lines(areUntilNow: request.asOf != nil)
    }

    /// The dimensions and columns that depend on fields Apple does not sign.
    private var unprovenNames: [String] {
        unprovenDimensions.map(\.rawValue)
            + sectionsWithObjects[0].columns.filter { $0.dimension == nil && $0.basis == .unsigned }.map(\.name)
    }

    /// The dimensions of rows and filters that depend on fields Apple does not sign, without duplicates.
    private var unprovenDimensions: [ReportDimension] {
        let used = Set(request.dimensions + request.conditions.map(\.dimension))
        return ReportDimension.allCases.filter { dimension in
            used.contains(dimension)
                && (dimension.basis == .unsigned || dimension == .redownload && hasUnprovenRedownloads)
        }
    }

    private var hasUnprovenRedownloads: Bool {
        totals[.unprovenRedownloads] > 0
    }

    /// The line that names everything that is not signed.
    private var unprovenLine: String {
        let dimensions = unprovenDimensions.filter { $0 != .redownload && $0 != .conversionValue }.map(\.rawValue)
        let redownloads =
            hasUnprovenRedownloads
            ? ["redownload in 1.0 (\(totals[.unprovenRedownloads]) of \(totals.knownRedownloads))"] : []
        return "Not signed by Apple, so anyone who has a postback can change it: "
            + (dimensions + ["conversion values"] + redownloads).joined(separator: ", ") + "."
    }
}

/// The rows of a free report in the requested order, created on access.
package struct ReportRows: RandomAccessCollection, Sendable {
    private let rows: LedgerRows
    /// The index in ``rows`` of each row; nil if the order is unchanged.
    private let order: [Int]?
    package let endIndex: Int

    /// Sorts the rows, and shows at most ``ReportRequest/top`` of them.
    init(_ rows: LedgerRows, _ request: ReportRequest) {
        self.rows = rows
        endIndex = request.top.map { Swift.min($0, rows.count) } ?? rows.count
        order = request.sort.map { Self.sorted(rows, by: $0, request) }
    }

    package var startIndex: Int {
        0
    }

    package subscript(index: Int) -> LedgerRow {
        rows[order?[index] ?? index]
    }

    /// The indices of the rows in order; only the sort keys are kept in memory, because rows are large.
    private static func sorted(_ rows: LedgerRows, by sort: ReportSort, _ request: ReportRequest) -> [Int] {
        switch sort.key {
        case .figure(let figure):
            return order(of: rows.map { figure.cell($0.counts).number }, sort.isDescending)
        case .dimension(let index) where request.dimensions[index] == .hour:
            // When clocks go back, labels of hours do not sort chronologically.
            return order(of: rows.map { HourLabel.start(of: $0.values[index]) }, sort.isDescending)
        case .dimension(let index):
            let keys = rows.map { $0.values[index].isEmpty ? nil : OrderedValue($0.values[index]) }
            return order(of: keys, sort.isDescending)
        }
    }

    /// The indices of keys in sorted order: nil comes last, and ties keep their order.
    private static func order<Key: Comparable>(of keys: [Key?], _ isDescending: Bool) -> [Int] {
        keys.indices.sorted { left, right in
            switch (keys[left], keys[right]) {
            case (let first?, let second?) where first != second: isDescending ? second < first : first < second
            case (_?, nil): true
            case (nil, _?): false
            default: left < right
            }
        }
    }
}
