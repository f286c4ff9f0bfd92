import Attribution
package import AttributionStore

/// Copies that contradict recorded postbacks in fields that Apple does not sign.
package struct ConflictsPage {
    private let deliveries: [QuarantinedDelivery]
    private let query: QuarantineQuery

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - query: What was asked for.
    ///   - deliveries: The conflicts of this page.
    package init(_ query: QuarantineQuery, _ deliveries: [QuarantinedDelivery]) {
        self.query = query
        self.deliveries = deliveries
    }

    /// The page.
    package var page: Page {
        let link = PagePlace.conflicts.link
        return Page(title: "Conflicts", place: .conflicts, tables: [table]) {
            HTML(.p) {
                "The first verified copy of a postback counts. A later copy that says something else in a field that "
                "Apple does not sign was changed by someone, or sent by a device whose values changed: it is kept "
                "here and not counted."
            }
            HTML(.section, .class("card"), .ariaLabelledBy("conflicts-caption")) {
                table.html(csv: link.adding("format", "csv").adding("section", "conflicts"))
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
