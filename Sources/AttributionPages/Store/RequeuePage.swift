package import AttributionStore

/// The question before deliveries are judged again, and what became of them.
package struct RequeuePage {
    private let query: QuarantineQuery

    /// Makes the pages of a change.
    ///
    /// - Parameter query: Which deliveries.
    package init(_ query: QuarantineQuery) {
        self.query = query
    }

    /// The question.
    ///
    /// - Parameter formToken: What the form has to carry; nil for a request without a session, which can send none.
    /// - Returns: The page.
    package func question(formToken: String?) -> Page {
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
            HTML(
                query.parameters.filter { $0.name != "after" }.map {
                    HTML(.input, .type("hidden"), .name($0.name), .value($0.value))
                })
            HTML(.button, .type("submit")) { "Judge them again" }
            HTML.link(query.link(PagePlace.quarantine.link), "Cancel")
        }
    }

    /// What became of them.
    package func outcome(_ result: Requeued) -> Page {
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
