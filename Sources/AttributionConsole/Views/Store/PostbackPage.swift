import Attribution
import AttributionReports
import AttributionStore
import StrictJSON

/// Recorded postbacks with one id: found by their row, or by the id that Apple gave them.
struct PostbackPage {
    let text: String
    let postbacks: [RecordedPostback]?

    var page: Page {
        let views = (postbacks ?? []).map { ($0, Self.fields(of: $0)) }
        return Page(title: "Postback", place: .postback, tables: views.compactMap(\.1)) {
            HTML(.section, .class("card"), .ariaLabel("Find a postback")) {
                HTML(.form, .method("get"), .action(PagePlace.postback.link)) {
                    HTML(.p, .class("field wide")) {
                        HTML(.label, .for("field-transaction-id")) { "transaction-id or postback-identifier" }
                        HTML(
                            .input, .type("text"), .id("field-transaction-id"), .name("transaction-id"), .value(text),
                            .required, .autocomplete("off"), .spellcheck(false))
                    }
                    HTML(.button, .type("submit")) { "Find" }
                }
            }
            if let postbacks, postbacks.isEmpty {
                HTML.notice(.uncertain, "No recorded postback has this id. It may be in the quarantine.")
            }
            HTML(views.map { view($0, $1) })
        }
    }

    private func view(_ postback: RecordedPostback, _ fields: PageTable?) -> HTML {
        HTML(.section, .class("card"), .ariaLabelledBy("postback-\(postback.id)")) {
            HTML(.h2, .id("postback-\(postback.id)")) { "Postback \(postback.id)" }
            HTML.traffic(postback.traffic)
            HTML(.dl) { HTML(Self.facts(of: postback).map(HTML.fact)) }
            if let fields {
                fields.html(fileOf: .postback(postback.id))
            } else {
                HTML.notice(.bad, "Its fields cannot be read.")
            }
            HTML(flaggedValues(of: postback).map { HTML.notice(.uncertain, $0.description) })
            HTML(.h3) { "Body as received" }
            BodyView(bytes: postback.body).html
        }
    }

    private func flaggedValues(of postback: RecordedPostback) -> [FieldProblem] {
        postback.body.flatMap { try? ReceivedPostback(reading: $0) }?.flaggedValues ?? []
    }

    private static func facts(of postback: RecordedPostback) -> [(String, HTML)] {
        [
            ("Recorded", .preciseMoment(postback.recordedAtMilliseconds)),
            ("Received", .preciseMoment(postback.receivedAtMilliseconds)),
            ("Traffic", HTML(postback.traffic.rawValue)), ("Recipient", HTML(postback.recipient.rawValue)),
            ("Verified by", .value(postback.keyName)),
        ]
    }

    private static func fields(of postback: RecordedPostback) -> PageTable? {
        guard let body = postback.body, let received = try? ReceivedPostback(reading: body) else {
            return nil
        }
        let dimensions = ReportDimension.allCases.filter { !$0.isTime && $0 != .recipient }
        let own: [PageTable.Row] = [
            .init([.words("transaction-id"), .value(received.key.transactionID.text), .words(signed)]),
            .init([
                .words("did-win"), .value(received.didWin.map { String($0) } ?? ""), .words(signed),
            ]),
        ]
        return PageTable(
            id: "fields-\(postback.id)", caption: "Fields of postback \(postback.id)",
            columns: [.init("field"), .init("value"), .init("who vouches")],
            rows: own
                + dimensions.map { dimension in
                    .init([
                        .words(dimension.rawValue), .value(dimension.value(of: received)),
                        .words(vouching(dimension, received)),
                    ])
                })
    }

    private static let signed = ReportDimension.Basis.signed.meaning

    /// Who vouches for a value of this postback: 1.0 does not sign `redownload`.
    private static func vouching(_ dimension: ReportDimension, _ postback: ReceivedPostback) -> String {
        if dimension == .redownload, case .skAdNetwork(let postback) = postback, postback.version == .v1_0 {
            return ReportDimension.Basis.unsigned.meaning
        }
        return dimension.basis.meaning
    }
}

extension HTML {
    /// A name and its value in a list of facts.
    static func fact(_ name: String, _ value: HTML) -> HTML {
        HTML([HTML(.dt) { name }, HTML(.dd) { value }])
    }
}
