import Attribution

/// The changes of schemas in whose bands postbacks arrived.
///
/// Changes of apps without such postbacks are not shown: who may see one network's reports learns nothing of the apps
/// of others.
struct ChangeTable {
    private struct Band {
        let change: SchemaChange
        let timing: PostbackTiming
        let range: Range<Int64>
        var current: Int64 = 0
        var previous: Int64 = 0
    }

    private var bands: [String: [Band]] = [:]
    private let decoder: RevenueDecoder
    private let isCompared: Bool

    init(_ schemas: ConversionSchemas, _ decoder: RevenueDecoder, isCompared: Bool) {
        self.decoder = decoder
        self.isCompared = isCompared
        for app in schemas.apps {
            bands[app.description] = schemas.changes(of: app).flatMap { change in
                PostbackTiming.allCases.map { Band(change: change, timing: $0, range: change.band($0)) }
            }
        }
    }

    mutating func add(_ row: RevenueDecoder.Row, _ current: Int64, _ previous: Int64?) {
        for index in bands[row.app]?.indices ?? 0..<0 {
            guard let band = bands[row.app]?[index], band.timing == row.timing,
                decoder.isWithin(band.range, segment: row.segment)
            else {
                continue
            }
            bands[row.app]?[index].current += current
            bands[row.app]?[index].previous += previous ?? 0
        }
    }

    private static let columns: [ReportSectionColumn] = [
        .key(.app),
        .names("day", "Day", .ours, "The first day (UTC) of the new schema."),
        .names("former", "Before", .ours, "The schema until then."),
        .names("next", "After", .ours, "The schema from then on."),
        .names("postback", "Postback", .signed, "The window, or the timer of versions up to 3.0."),
        .names("from", "From", .ours, "The first day (UTC) on which a value of the new schema can arrive."),
        .names("to", "To", .ours, "The last day (UTC) on which one of the former schema can arrive."),
        ReportSectionColumn(
            "postbacks", "Postbacks", .count, .unsigned,
            "Postbacks of winners received between the two, in the period.", isCompared: true),
    ]

    var section: ReportSection {
        let apps = bands.keys.map { OrderedValue($0) }.sorted()
        let shown = apps.flatMap { app -> [Band] in bands[app.text] ?? [] }.filter { $0.current > 0 || $0.previous > 0 }
        return ReportSection(
            name: "changes", title: "Changes of schemas",
            meaning: "Days on which postbacks of two schemas of an app may arrive, and how many arrived.",
            columns: Self.columns,
            rows: shown.map(row),
            notes: [
                "A value is sent a day to \(PostbackTiming.thirdWindow.sinceValue.upperBound) days after the app set it, "
                    + "repeats included; Schemas.md derives the figures."
            ])
    }

    private func row(_ band: Band) -> ReportSectionRow {
        let days = band.change.bandDays(band.timing)
        let keys = [
            band.change.app.description, band.change.day.description, band.change.former?.title ?? "none",
            band.change.next?.title ?? "none", band.timing.title, days.lowerBound.description,
            days.upperBound.description,
        ].map(ReportCell.key)
        return ReportSectionRow(
            keys + [.count(band.current)], previous: isCompared ? keys + [.count(band.previous)] : nil)
    }
}
