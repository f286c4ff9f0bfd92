import Attribution
import AttributionReports
import AttributionStore

/// Whether all is well, from what is known without the store's help, and from the store what it can tell.
struct HealthPanel {
    let health: ServerHealth
    /// What of yesterday's traffic a person should look at.
    let traffic: [TrafficFinding]
    /// How much there is in the quarantine, or why that is not known; nil where it is not shown.
    let quarantine: Result<[QuarantineTotal], PageProblem>?

    var html: HTML {
        HTML(.section, .class("card"), .ariaLabelledBy("health")) {
            HTML(.h2, .id("health")) { "Is it alive?" }
            verdict
            HTML(.dl, .class("figures")) {
                if health.hasFigures {
                    figuresOfAllNetworks
                }
                Self.figure("Certificate ends", certificateEnd, certificateDay)
                Self.figure("Running for", age(of: health.startedAtMilliseconds), nil)
            }
        }
    }

    private var figuresOfAllNetworks: HTML {
        HTML([
            Self.figure("Last postback", age(of: health.lastRecordedAtMilliseconds), momentText),
            Self.figure(
                "Deliveries a second", health.deliveriesPerSecond.map { HTML.decimal($0, places: 1) },
                "in the last minute"),
            Self.figure("Waiting to be recorded", health.waiting.map { .count(Int64($0)) }, nil),
            Self.figure("In quarantine", quarantineCount, nil),
            Self.figure("Store", storeBytes.map { HTML($0.bytes) }, health.store),
            Self.figure(
                "Disk free", health.disk.map { HTML($0.free.bytes) }, health.disk.map { "of \($0.all.bytes)" }),
        ])
    }

    private var verdict: HTML {
        var notices = health.findings.map { HTML.notice($0.mood, $0.text) }
        if case .failure(let problem)? = quarantine {
            notices.append(problem.notice)
        }
        notices += traffic.map { HTML.notice(.uncertain, $0.text) }
        return notices.isEmpty ? .notice(.good, "All is well: postbacks are recorded.") : HTML(notices)
    }

    private static func figure(_ name: String, _ value: HTML?, _ detail: String?) -> HTML {
        HTML(.div) {
            HTML(.dt) {
                name
                if let detail {
                    HTML(.span, .class("change")) {
                        " "
                        HTML.value(detail)
                    }
                }
            }
            HTML(.dd) { value ?? HTML(.span, .class("none")) { "unknown" } }
        }
    }

    private func age(of milliseconds: Int64?) -> HTML? {
        milliseconds.map { HTML((health.nowMilliseconds - $0).spanOfMilliseconds) }
    }

    private var momentText: String? {
        health.lastRecordedAtMilliseconds.map { "ago, at " + Moment(milliseconds: $0).text } ?? "ago"
    }

    private var quarantineCount: HTML? {
        guard case .success(let totals)? = quarantine else {
            return nil
        }
        let count = totals.reduce(0) { $0 + $1.count }
        return HTML(.a, .href(PagePlace.quarantine.link)) { HTML.count(count) }
    }

    private var storeBytes: Int64? {
        health.parts.isEmpty ? nil : health.parts.reduce(0) { $0 + $1.bytes }
    }

    private var certificateEnd: HTML? {
        health.certificateEndMilliseconds.map { end in
            end <= health.nowMilliseconds
                ? HTML("expired") : HTML("in " + (end - health.nowMilliseconds).spanOfMilliseconds)
        }
    }

    private var certificateDay: String? {
        health.certificateEndMilliseconds.map { Moment(milliseconds: $0).text } ?? "no TLS on the public listener"
    }

    /// The answers of the public listener; nil where they are not known.
    var answers: PageTable? {
        health.answers.map { answers in
            PageTable(
                id: "answers", caption: "Answers to devices since the process was started",
                columns: [.init("status"), .init("answers", isNumber: true), .init("meaning")],
                rows: answers.map { .init([.words($0.status), .count($0.count), .words(Self.meaning($0.status))]) },
                emptyText: "No request has come yet.")
        }
    }

    private static func meaning(_ status: String) -> String {
        switch status {
        case "200": "acknowledged: recorded, repeated or kept"
        case "dropped": "the client was gone before its answer"
        case "503": "not acknowledged: the device sends it again"
        case "400", "422": "refused: it cannot be a postback"
        case _ where status.hasPrefix("4"): "refused"
        default: ""
        }
    }
}
