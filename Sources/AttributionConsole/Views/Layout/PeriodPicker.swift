import Attribution
import StrictJSON

/// The choice of days, traffic and conditions above figures: links for the usual periods, and a form for others.
struct PeriodPicker {
    let selection: PageSelection
    /// The page that is shown.
    let page: PageLink
    /// The days as counted, in words.
    let days: String
    /// Parameters of the page besides the selection, which the form repeats.
    var others: [PageLink.Parameter] = []

    private static let usual = [
        ("today", "Today"), ("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), ("this-month", "This month"),
        ("last-month", "Last month"), ("365d", "365 days"),
    ]

    var html: HTML {
        HTML(.section, .class("picker"), .ariaLabel("Days and conditions")) {
            HTML(.p, .class("days")) { days }
            HTML(.ul, .class("choices")) { HTML(Self.usual.map(choice)) }
            HTML(.details) {
                HTML(.summary) { "Other days, time zone or traffic" }
                form
            }
            if !selection.filters.isEmpty {
                HTML(.ul, .class("conditions")) { HTML(selection.filters.map(condition)) }
            }
        }
    }

    private func choice(_ name: String, _ title: String) -> HTML {
        let isCurrent = selection.effectivePeriod == name
        let link = selection.with(period: name).link(page).adding(others)
        return HTML(.li) {
            HTML(.a, [.href(link)] + (isCurrent ? [.ariaCurrent("true")] : []), HTML(title))
        }
    }

    private func condition(_ filter: String) -> HTML {
        let link = selection.without(filter).link(page).adding(others)
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
        _ name: String, _ label: String, _ options: [(value: String, title: String)], selected: String
    ) -> HTML {
        let id = "field-" + name
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
