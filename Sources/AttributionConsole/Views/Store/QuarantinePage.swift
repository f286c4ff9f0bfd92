import Attribution
import AttributionReports
import AttributionStore

/// What is kept without being counted, a page at a time.
struct QuarantinePage {
    let query: QuarantineQuery
    let totals: [QuarantineTotal]
    let deliveries: [QuarantinedDelivery]

    private static let link = PagePlace.quarantine.link

    var page: Page {
        let tables = [totalsTable, deliveriesTable]
        return Page(title: "Quarantine", place: .quarantine, tables: tables) {
            totalsTable.card(of: query.link(Self.link))
            HTML(.section, .class("card"), .ariaLabelledBy("deliveries-caption")) {
                filter
                deliveriesTable.html(fileOf: query.link(Self.link))
                HTML(.p) {
                    if query.after > 0 {
                        HTML.link(query.link(Self.link).setting("after", nil), "From the beginning")
                        " "
                    }
                    if let last = deliveries.last?.id, deliveries.count == query.limit {
                        HTML.link(query.link(Self.link).setting("after", String(last)), "Next page")
                    }
                }
                if !deliveries.isEmpty {
                    HTML(.p) {
                        HTML.link(
                            query.link(PageLink("quarantine", "requeue")).setting("after", nil),
                            query.hasFilter ? "Judge these again …" : "Judge everything again …")
                    }
                }
            }
        }
    }

    private var filter: HTML {
        HTML(.form, .method("get"), .action(Self.link)) {
            HTML.choice(
                "class", "Class", [("", "all")] + QuarantineClass.allCases.map { ($0.rawValue, $0.rawValue) },
                selected: query.kind?.rawValue ?? "")
            HTML.choice(
                "reason", "Reason", [("", "all")] + QuarantineQuery.reasons.map { ($0, $0) },
                selected: query.reason ?? "")
            HTML(.button, .type("submit")) { "Show" }
        }
    }

    private var totalsTable: PageTable {
        PageTable(
            id: "classes", caption: "In quarantine now",
            columns: [.init("class"), .init("deliveries", isNumber: true), .init("bytes", isNumber: true)],
            rows: totals.map { total in
                .init([
                    .words(total.kind.rawValue, link: QuarantineQuery(kind: total.kind).link(Self.link)),
                    .count(total.count), .count(total.bytes),
                ])
            },
            totals: .init([
                .words("total"), .count(totals.reduce(0) { $0 + $1.count }),
                .count(totals.reduce(0) { $0 + $1.bytes }),
            ]),
            emptyText: "The quarantine is empty.")
    }

    private var deliveriesTable: PageTable {
        PageTable(
            id: "deliveries", caption: "Deliveries",
            columns: [
                .init("id"), .init("received"), .init("class"), .init("reason"), .init("detail"),
                .init("recipient"), .init("client"), .init("bytes", isNumber: true),
            ],
            rows: deliveries.map { delivery in
                .init([
                    .words(String(delivery.id), link: .delivery(delivery.id)),
                    .moment(delivery.receivedAtMilliseconds), .words(delivery.kind.rawValue),
                    .words(delivery.reason, link: narrowed(to: delivery.reason)), .value(delivery.detail),
                    .words(delivery.recipient.rawValue), .value(delivery.client), .count(Int64(delivery.body.count)),
                ])
            },
            emptyText: "No delivery is kept for this class and reason.")
    }

    private func narrowed(to reason: String) -> PageLink {
        var query = query
        (query.reason, query.after) = (reason, 0)
        return query.link(Self.link)
    }
}

extension QuarantineQuery {
    /// A page of what it selects, under the API's names.
    func link(_ page: PageLink) -> PageLink {
        page.adding(parameters)
    }

    var parameters: [PageLink.Parameter] {
        let all: [(String, String?)] = [
            ("class", kind?.rawValue), ("reason", reason), ("id", id.map { String($0) }),
            ("before", before.map { Moment(milliseconds: $0).text }),
            ("after", after > 0 ? String(after) : nil),
        ]
        return all.compactMap { name, value in value.map { PageLink.Parameter(name, $0) } }
    }
}

extension PageLink {
    static func delivery(_ id: Int64) -> PageLink {
        PagePlace.quarantine.link.adding("id", String(id))
    }

    static func postback(_ id: Int64) -> PageLink {
        PagePlace.postback.link.adding("id", String(id))
    }
}

/// The question before deliveries are judged again, and what became of them.
struct RequeuePage {
    let query: QuarantineQuery

    func question(formToken: String?) -> Page {
        Page(title: "Judge deliveries again?", place: .quarantine) {
            HTML(.section, .class("card"), .ariaLabel("Confirmation")) {
                HTML(.p) { "Deliveries: \(words)." }
                HTML(.p) {
                    "Each is read and verified as if it came now. What is genuine is counted by when it was received; "
                    "everything else stays in the quarantine. This cannot be undone."
                }
                if let formToken {
                    form(formToken)
                } else {
                    HTML.notice(.uncertain, "Log in with a browser, or use POST /v1/quarantine/requeue.")
                }
            }
        }
    }

    private func form(_ formToken: String) -> HTML {
        HTML(.form, .method("post"), .action(PageLink("quarantine", "requeue"))) {
            HTML.formToken(formToken)
            HTML.hidden(query.parameters.filter { $0.name != "after" })
            HTML(.button, .type("submit")) { "Judge them again" }
            HTML.link(query.link(PagePlace.quarantine.link), "Cancel")
        }
    }

    /// What became of them.
    func outcome(_ result: Requeued) -> Page {
        let table = PageTable(
            id: "outcome", caption: "What became of them",
            columns: [.init("outcome"), .init("deliveries", isNumber: true)],
            rows: [
                ("recorded", result.recorded), ("duplicate", result.duplicate), ("conflict", result.conflict),
                ("stayed", result.stayed),
            ].map { .init([.words($0.0), .count($0.1)]) },
            totals: .init([.words("judged"), .count(result.judged)]))
        return Page(title: "Deliveries judged again", place: .quarantine) {
            HTML(.section, .class("card"), .ariaLabelledBy("outcome-caption")) {
                table.html(csv: nil)
                HTML(.p) { HTML.link(PagePlace.quarantine.link, "To the quarantine") }
            }
        }
    }

    private var words: String {
        let words = query.parameters.filter { $0.name != "after" }.map { "\($0.name) \($0.value)" }
        return words.isEmpty ? "all in the quarantine" : words.joined(separator: ", ")
    }
}
