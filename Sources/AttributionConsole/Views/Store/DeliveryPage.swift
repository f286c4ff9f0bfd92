import Attribution
package import AttributionStore

/// One delivery in the quarantine with its bytes, and for a conflict what it contradicts.
package struct DeliveryPage {
    private let delivery: QuarantinedDelivery
    private let recorded: RecordedPostback?
    private let explanation: [(label: String, text: String)]

    package init(
        _ delivery: QuarantinedDelivery, recorded: RecordedPostback?, explanation: [(label: String, text: String)]
    ) {
        self.delivery = delivery
        self.recorded = recorded
        self.explanation = explanation
    }

    package var page: Page {
        let place: PagePlace = delivery.kind == .conflict ? .conflicts : .quarantine
        let differences = recorded.map { BodyDifferences(recorded: $0.body, other: delivery.body).table }
        return Page(
            title: "Delivery \(delivery.id) in quarantine", place: place,
            tables: [differences].compactMap(\.self)
        ) {
            HTML(.section, .class("card"), .ariaLabel("Why it is not counted")) {
                HTML(.dl) { HTML(facts) }
                if delivery.kind != .conflict {
                    HTML(.p) {
                        HTML.link(
                            PageLink("quarantine", "requeue").adding("id", String(delivery.id)), "Judge it again …")
                    }
                }
            }
            if !explanation.isEmpty {
                HTML(.section, .class("card"), .ariaLabelledBy("explanation")) {
                    HTML(.h2, .id("explanation")) { "Why it does not verify" }
                    HTML(.dl) {
                        HTML(explanation.map { HTML.fact($0.label.capitalizedFirst, .value($0.text, limit: 4_000)) })
                    }
                }
            }
            if let differences {
                differences.card(of: .delivery(delivery.id))
            }
            HTML(.section, .class("card"), .ariaLabelledBy("body")) {
                HTML(.h2, .id("body")) { "Body as received" }
                BodyView(bytes: delivery.body).html
            }
        }
    }

    private var facts: [HTML] {
        var facts: [(String, HTML)] = [
            ("Reason", HTML(delivery.reason)), ("Detail", .value(delivery.detail, limit: 2_000)),
            ("Class", HTML(delivery.kind.rawValue)), ("Received", .preciseMoment(delivery.receivedAtMilliseconds)),
            ("Recipient", HTML(delivery.recipient.rawValue)), ("Client", .value(delivery.client)),
        ]
        if let id = delivery.postbackID {
            facts.append(("Contradicts", .link(.postback(id), "postback \(id)")))
        }
        return facts.map(HTML.fact)
    }
}

/// Copies that contradict recorded postbacks in fields that Apple does not sign.
package struct ConflictsPage {
    private let deliveries: [QuarantinedDelivery]
    private let query: QuarantineQuery

    package init(_ query: QuarantineQuery, _ deliveries: [QuarantinedDelivery]) {
        self.query = query
        self.deliveries = deliveries
    }

    package var page: Page {
        let link = PagePlace.conflicts.link
        return Page(title: "Conflicts", place: .conflicts, tables: [table]) {
            HTML(.p) {
                "The first verified copy of a postback counts. A later copy that says something else in a field that "
                "Apple does not sign was changed by someone, or sent by a device whose values changed: it is kept "
                "here and not counted."
            }
            HTML(.section, .class("card"), .ariaLabelledBy("conflicts-caption")) {
                table.html(fileOf: link)
                if let last = deliveries.last?.id, deliveries.count == query.limit {
                    HTML(.p) { HTML.link(link.adding("after", String(last)), "Next page") }
                }
            }
        }
    }

    private var table: PageTable {
        PageTable(
            id: "conflicts", caption: "Contradicting copies",
            columns: [
                .init("copy"), .init("received"), .init("postback"),
                .init("recipient"), .init("client"),
            ],
            rows: deliveries.map { delivery in
                .init([
                    .words(String(delivery.id), link: .delivery(delivery.id)),
                    .moment(delivery.receivedAtMilliseconds),
                    delivery.postbackID.map { .words(String($0), link: .postback($0)) } ?? .blank,
                    .words(delivery.recipient.rawValue), .value(delivery.client),
                ])
            },
            emptyText: "No copy contradicts a recorded postback.")
    }
}
