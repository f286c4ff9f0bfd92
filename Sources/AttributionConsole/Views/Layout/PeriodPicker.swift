import Attribution
import AttributionReports
import StrictJSON

/// The choice of days, traffic and conditions beside the title: links for the usual periods and those before and after,
/// and a form for others.
struct PeriodPicker {
    let selection: PageSelection
    /// The page that is shown.
    let page: PageLink
    /// What was counted; nil where that failed.
    let request: StandardReportRequest?
    /// The page with fewer conditions; nil for the same one.
    var widerPage: PageLink?
    /// Parameters of the page besides the selection, which links and the form repeat.
    var others: [PageLink.Parameter] = []

    private static let usual = [
        ("today", "Today"), ("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), ("this-month", "This month"),
        ("last-month", "Last month"), ("365d", "365 days"),
    ]

    var html: HTML {
        HTML(.section, .class("picker"), .ariaLabel("Days and conditions")) {
            if let request {
                HTML(.ul, .class("steps")) {
                    step(request, forwards: false)
                    HTML(.li, .class("days")) { request.selection.days }
                    step(request, forwards: true)
                }
            }
            HTML(.ul, .class("choices")) { HTML(Self.usual.map(choice)) }
            HTML(.details) {
                HTML(.summary) { "Other days, time zone or traffic" }
                form
            }
        }
    }

    /// The conditions, each with a link to the page without it; nothing where there are none.
    var conditions: HTML {
        selection.filters.isEmpty
            ? .nothing : HTML(.ul, .class("conditions")) { HTML(selection.filters.map(condition)) }
    }

    private func choice(_ name: String, _ title: String) -> HTML {
        let isCurrent = selection.effectivePeriod == name
        let link = selection.with(period: name).link(page).adding(others)
        return HTML(.li) {
            HTML(.a, [.href(link)] + (isCurrent ? [.ariaCurrent("true")] : []), HTML(title))
        }
    }

    /// A link to the days before or after those shown; nothing where there are none, or none yet.
    private func step(_ request: StandardReportRequest, forwards: Bool) -> HTML {
        guard let first = request.selection.from else {
            return .nothing
        }
        let days = CalendarPeriod(first: first, last: max(first, request.selection.through ?? request.today))
        guard forwards ? days.last < request.today : first.number >= days.count else {
            return .nothing
        }
        let link = selection.moved(from: days, forwards: forwards).link(page).adding(others)
        return HTML(.li) {
            HTML(.a, .href(link), .ariaLabel(forwards ? "Next period" : "Previous period")) { forwards ? "›" : "‹" }
        }
    }

    private func condition(_ filter: String) -> HTML {
        let link = selection.without(filter).link(widerPage ?? page).adding(others)
        return HTML(.li) {
            HTML.value(filter)
            " "
            HTML(.a, .href(link), .ariaLabel("Without \(filter.shortened(to: 80))")) { "remove" }
        }
    }

    private var form: HTML {
        HTML(.form, .method("get"), .action(page)) {
            HTML.hidden(others + selection.filters.map { PageLink.Parameter("where", $0) })
            HTML.field("from", "First day", type: "date", value: selection.from ?? "")
            HTML.field("to", "Last day", type: "date", value: selection.to ?? "")
            HTML.field("time-zone", "Time zone", type: "text", value: selection.timeZone ?? "UTC")
            HTML.choice(
                "provenance", "Traffic", Traffic.allCases.map { ($0.rawValue, $0.rawValue) },
                selected: selection.provenance ?? Traffic.apple.rawValue)
            HTML(.button, .type("submit")) { "Show" }
        }
    }
}

extension HTML {
    static func hidden(_ parameters: [PageLink.Parameter]) -> HTML {
        HTML(parameters.map { HTML(.input, .type("hidden"), .name($0.name), .value($0.value)) })
    }

    static func field(
        _ name: String, _ label: String, type: StaticString, value: String, placeholder: String? = nil
    ) -> HTML {
        let id = "field-" + name
        let attributes: [HTMLAttribute] =
            [.type(type), .id(id), .name(name), .value(value)] + (placeholder.map { [.placeholder($0)] } ?? [])
        return HTML(.p, .class("field")) {
            HTML(.label, .for(id)) { label }
            HTML(.input, attributes)
        }
    }

    static func choice(
        _ name: String, _ label: String, _ options: [(value: String, title: String)], selected: String,
        id: String? = nil
    ) -> HTML {
        let id = id ?? "field-" + name
        return HTML(.p, .class("field")) {
            HTML(.label, .for(id)) { label }
            HTML(.select, .id(id), .name(name)) {
                HTML(
                    options.map { value, title in
                        HTML(.option, [.value(value)] + (value == selected ? [.selected] : []), HTML(title))
                    })
            }
        }
    }
}
