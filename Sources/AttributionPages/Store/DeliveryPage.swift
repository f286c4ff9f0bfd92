import Attribution
package import AttributionStore

/// One delivery in the quarantine with its bytes, and for a conflict what it contradicts.
package struct DeliveryPage {
    private let delivery: QuarantinedDelivery
    private let recorded: RecordedPostback?
    private let explanation: [(label: String, text: String)]

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - recorded: The recorded postback that it contradicts.
    ///   - explanation: Why it does not verify, and what to do; empty for a conflict.
    package init(
        _ delivery: QuarantinedDelivery, recorded: RecordedPostback?, explanation: [(label: String, text: String)]
    ) {
        self.delivery = delivery
        self.recorded = recorded
        self.explanation = explanation
    }

    /// The page.
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
                HTML(.section, .class("card"), .ariaLabelledBy("differences-caption")) {
                    differences.html(
                        csv: .delivery(delivery.id).adding("section", "differences").adding("format", "csv"))
                }
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
