import AttributionStore

/// Where postbacks are forwarded, and how far that has come.
struct DestinationsPage {
    let status: ForwardingStatus
    let nowMilliseconds: Int64

    /// A transaction that runs for longer is worth a word.
    private static let longestHold: Int64 = 60_000

    var page: Page {
        Page(title: "Destinations", place: .destinations, tables: [table]) {
            if let since = status.heldSince, nowMilliseconds - since > Self.longestHold {
                HTML.notice(
                    .bad,
                    "A transaction that runs in the same cluster holds back what was recorded since "
                        + "\((nowMilliseconds - since).spanOfMilliseconds): nothing of it is forwarded before it ends. "
                        + "pg_stat_activity shows it.")
            }
            table.card(of: PagePlace.destinations.link)
            HTML(.p) {
                "What is behind also counts postbacks that a destination does not want. skan destinations show says more "
                "of those that failed; skan destinations resume sends what is parked once more."
            }
        }
    }

    private var table: PageTable {
        PageTable(
            id: "destinations", caption: "Destinations",
            columns: [
                .init("destination"), .init("state"), .init("behind", isNumber: true), .init("oldest"),
                .init("sent again", isNumber: true), .init("parked", isNumber: true), .init("last success"),
                .init("last failure"), .init("why"),
            ],
            rows: status.destinations.map { backlog in
                let destination = backlog.destination
                return .init([
                    .value(destination.name), .words(destination.condition), .count(backlog.count),
                    backlog.oldestAt.map { .moment($0) } ?? .blank, .count(destination.waitingCount),
                    .count(destination.parkedCount), destination.lastSuccessAt.map { .moment($0) } ?? .blank,
                    destination.lastFailureAt.map { .moment($0) } ?? .blank, .value(destination.lastFailure),
                ])
            },
            emptyText: "Nothing is forwarded: skan serve --destinations FILE names destinations.")
    }
}
