import Attribution

/// The events that values stand for, by app.
struct EventTable {
    /// How often an event happened: for certain, and possibly.
    private struct Bounds {
        var certain: Int64 = 0
        var possible: Int64 = 0

        var cell: ReportCell {
            .counts(certain...possible)
        }
    }

    private struct Key: Hashable {
        let app: String
        let event: String
    }

    private var current: [Key: Bounds] = [:]
    private var previous: [Key: Bounds] = [:]
    private let isCompared: Bool

    init(isCompared: Bool) {
        self.isCompared = isCompared
    }

    mutating func add(_ row: RevenueDecoder.Row, _ currentCount: Int64, _ previousCount: Int64?) {
        for event in row.decoded.possibleEvents {
            let key = Key(app: row.app, event: event)
            let isCertain = row.decoded.events.contains(event)
            current[key, default: Bounds()].possible += currentCount
            current[key, default: Bounds()].certain += isCertain ? currentCount : 0
            previous[key, default: Bounds()].possible += previousCount ?? 0
            previous[key, default: Bounds()].certain += isCertain ? previousCount ?? 0 : 0
        }
    }

    func section(top: Int?) -> ReportSection {
        let keys = current.sorted { left, right in
            left.value.possible == right.value.possible
                ? (left.key.app, left.key.event) < (right.key.app, right.key.event)
                : left.value.possible > right.value.possible
        }.map(\.key)
        let shown = keys.prefix(top ?? .max)
        return ReportSection(
            name: "events", title: "Events", meaning: "What people did, by the meaning of the values.",
            columns: [
                .key(.app),
                .names("event", "Event", .ours, "The name of the event in the schema."),
                ReportSectionColumn(
                    "postbacks", "Postbacks", .counts, .unsigned,
                    "Postbacks whose value stands for the event: at least those for which no other schema is possible.",
                    isCompared: true),
            ],
            rows: shown.map { key in
                let names: [ReportCell] = [.key(key.app), .key(key.event)]
                return ReportSectionRow(
                    names + [(current[key] ?? Bounds()).cell],
                    previous: isCompared ? names + [(previous[key] ?? Bounds()).cell] : nil)
            },
            omittedRows: keys.count - shown.count,
            notes: ["A postback may stand for several events, and counts once for each."])
    }
}
