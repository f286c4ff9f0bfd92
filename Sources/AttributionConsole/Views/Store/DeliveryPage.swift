import Attribution
import AttributionStore
import StrictJSON

/// One delivery in the quarantine with its bytes, and for a conflict what it contradicts.
struct DeliveryPage {
    let delivery: QuarantinedDelivery
    let recorded: RecordedPostback?
    let explanation: [(label: String, text: String)]

    var page: Page {
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
struct ConflictsPage {
    let query: QuarantineQuery
    let deliveries: [QuarantinedDelivery]

    var page: Page {
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

/// A body as received: as text where it is UTF-8, and its bytes.
struct BodyView {
    let bytes: [UInt8]?

    /// Larger bodies are cut: none that is genuine is.
    static let limit = 16_384

    var html: HTML {
        guard let bytes else {
            return .notice(.bad, "The body was dropped, or is damaged; skan recount says more.")
        }
        let shown = Array(bytes.prefix(Self.limit))
        return HTML([
            HTML(.p) {
                HTML.count(Int64(bytes.count))
                bytes.count == 1 ? " byte" : " bytes"
                shown.count < bytes.count ? ", the first \(Int64(shown.count).grouped) of which are shown" : ""
            },
            HTML(.h3) { "Text" },
            text(shown),
            HTML(.details) {
                HTML(.summary) { "Bytes" }
                HTML(.pre, .tabindex(0), .ariaLabel("Bytes in hexadecimal digits")) { Self.dump(shown) }
            },
        ])
    }

    private func text(_ shown: [UInt8]) -> HTML {
        guard let text = String(validating: shown, as: UTF8.self) else {
            return HTML(.p) { "It is not UTF-8." }
        }
        // Line breaks and tabs may stay; what is invisible is spelled out.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String($0).shortened(to: Self.limit) }.joined(separator: "\t")
        }
        return HTML(.pre, .class("text"), .dir("ltr"), .tabindex(0), .ariaLabel("The body as text")) {
            lines.joined(separator: "\n")
        }
    }

    /// Sixteen bytes a line: the offset, the bytes, and those among them that are visible ASCII.
    static func dump(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let line = bytes[start..<min(start + 16, bytes.count)]
            let digits = line.map { hex($0, 2) }.joined(separator: " ")
            let gap = String(repeating: " ", count: 49 - digits.count)
            let visible = line.map { (0x20..<0x7F).contains($0) ? String(Unicode.Scalar($0)) : "." }.joined()
            return hex(start, 6) + "  " + digits + gap + visible
        }.joined(separator: "\n")
    }

    private static func hex(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// The members in which two bodies differ.
struct BodyDifferences {
    /// The body that was recorded first, and the other.
    let recorded: [UInt8]?
    let other: [UInt8]

    /// A row for each member with different values, in the order of the recorded body, then of the other.
    var table: PageTable {
        let (recorded, other) = (Self.members(recorded ?? []), Self.members(other))
        let names = recorded.map(\.name) + other.map(\.name).filter { name in !recorded.contains { $0.name == name } }
        return PageTable(
            id: "differences", caption: "Fields that differ",
            columns: [.init("field"), .init("recorded"), .init("this copy")],
            rows: names.compactMap { name in
                // Whole values are compared: cells show long ones shortened.
                let (mine, theirs) = (Self.value(name, recorded), Self.value(name, other))
                return mine == theirs ? nil : .init([.value(name), Self.cell(mine), Self.cell(theirs)])
            },
            emptyText: "No field differs that can be read.")
    }

    private static func value(_ name: String, _ members: [JSONField]) -> JSONValue? {
        members.first { $0.name == name }?.value
    }

    private static func cell(_ value: JSONValue?) -> PageTable.Cell {
        value.map { .value($0.summary) } ?? .words("absent")
    }

    private static func members(_ body: [UInt8]) -> [JSONField] {
        (try? JSONObject(reading: body))?.fields ?? []
    }
}
