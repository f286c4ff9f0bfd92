import Attribution
import StrictJSON

extension HTML {
    /// A value from outside: in a direction of its own, with invisible characters spelled out, and cut.
    package static func value(_ text: String, limit: Int = 80) -> HTML {
        text.isEmpty ? .none : HTML(.bdi) { text.shortened(to: limit) }
    }

    /// A value that does not exist.
    package static let none = HTML(.span, .class("none")) { "none" }

    /// A number in full, with a comma between thousands; programs find it without commas.
    package static func count(_ number: Int64) -> HTML {
        HTML(.data, .value(String(number))) { number.grouped }
    }

    /// A share as a percentage.
    package static func share(_ share: Double) -> HTML {
        HTML(.data, .value(share.fixed(places: 4))) { (share * 100).fixed(places: 2) + " %" }
    }

    /// A number with decimals.
    package static func decimal(_ number: Double, places: Int) -> HTML {
        HTML(.data, .value(number.fixed(places: places))) { number.fixed(places: places) }
    }

    /// A moment, to the second; programs find it as the API writes it.
    package static func moment(_ milliseconds: Int64) -> HTML {
        time(Moment(milliseconds: milliseconds).text)
    }

    /// A moment, to the millisecond.
    package static func preciseMoment(_ milliseconds: Int64) -> HTML {
        time(Moment(milliseconds: milliseconds).preciseText)
    }

    private static func time(_ text: String) -> HTML {
        let parts = text.dropLast().split(separator: "T", maxSplits: 1)
        return HTML(.time, [.datetime(text)], HTML(parts.joined(separator: " ") + " UTC"))
    }

    /// A link.
    package static func link(_ link: PageLink, _ text: String) -> HTML {
        HTML(.a, .href(link)) { text }
    }

    /// What an operator has to know.
    package static func notice(_ mood: Mood, _ text: String) -> HTML {
        HTML(.p, mood.attribute) { text }
    }

    /// How good news is.
    package enum Mood: Hashable, Sendable {
        case good, uncertain, bad

        /// The class of a notice.
        var attribute: HTMLAttribute {
            switch self {
            case .good: .class("notice good")
            case .uncertain: .class("notice uncertain")
            case .bad: .class("notice bad")
            }
        }
    }
}

extension Int64 {
    /// The number in full, with a comma between thousands: 2,104,332.
    package var grouped: String {
        var groups: [String] = []
        var rest = magnitude
        while rest >= 1_000 {
            groups.append(Int64(rest % 1_000).padded(to: 3))
            rest /= 1_000
        }
        groups.append(String(rest))
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
