import Attribution
import AttributionReports
package import AttributionStore

/// What is kept without being counted, a page at a time.
package struct QuarantinePage {
    private let query: QuarantineQuery
    private let totals: [QuarantineTotal]
    private let deliveries: [QuarantinedDelivery]
    private let reasons: [String]

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - query: What was asked for.
    ///   - totals: How much there is of each class.
    ///   - deliveries: The deliveries of this page.
    ///   - reasons: Every reason a delivery can have.
    package init(
        _ query: QuarantineQuery, totals: [QuarantineTotal], deliveries: [QuarantinedDelivery], reasons: [String]
    ) {
        self.query = query
        self.totals = totals
        self.deliveries = deliveries
        self.reasons = reasons
    }

    private static let link = PagePlace.quarantine.link

    /// The page.
    package var page: Page {
        let tables = [totalsTable, deliveriesTable]
        return Page(title: "Quarantine", place: .quarantine, tables: tables) {
            HTML(.section, .class("card"), .ariaLabelledBy("classes-caption")) {
                totalsTable.html(csv: query.link(Self.link).adding("section", "classes").adding("format", "csv"))
            }
            HTML(.section, .class("card"), .ariaLabelledBy("deliveries-caption")) {
                filter
                deliveriesTable.html(
                    csv: query.link(Self.link).adding("section", "deliveries").adding("format", "csv"))
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
                            query.isNarrow ? "Judge these again …" : "Judge everything again …")
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
                "reason", "Reason", [("", "all")] + reasons.map { ($0, $0) }, selected: query.reason ?? "")
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
        parameters.reduce(page) { $0.adding($1.name, $1.value) }
    }

    /// Its parameters.
    var parameters: [PageLink.Parameter] {
        let all: [(String, String?)] = [
            ("class", kind?.rawValue), ("reason", reason), ("id", id.map { String($0) }),
            ("before", before.map { Moment(milliseconds: $0).text }),
            ("after", after > 0 ? String(after) : nil),
        ]
        return all.compactMap { name, value in value.map { PageLink.Parameter(name, $0) } }
    }

    /// Whether it selects less than everything.
    var isNarrow: Bool {
        kind != nil || reason != nil || id != nil || before != nil
    }
}

extension PageLink {
    /// The page of one delivery in the quarantine.
    static func delivery(_ id: Int64) -> PageLink {
        PagePlace.quarantine.link.adding("id", String(id))
    }

    /// The page of a recorded postback.
    static func postback(_ id: Int64) -> PageLink {
        PagePlace.postback.link.adding("id", String(id))
    }
}
