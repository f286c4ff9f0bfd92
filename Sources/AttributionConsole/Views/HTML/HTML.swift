import Attribution
import StrictJSON

/// A piece of a page.
///
/// Text gets in through one door, which escapes it; elements, attributes and their names are those of closed sets. So
/// nothing that a device or a person sent can become markup.
package struct HTML: Hashable, Sendable {
    private let markup: String

    private init(markup: String) {
        self.markup = markup
    }

    package static let nothing = HTML(markup: "")

    package init(_ text: String) {
        markup = text.escapedHTML
    }

    package init(_ tag: HTMLTag, _ attributes: HTMLAttribute..., @HTMLBuilder content: () -> HTML = { .nothing }) {
        self.init(tag, attributes, content())
    }

    /// An element with attributes from a list.
    package init(_ tag: HTMLTag, _ attributes: [HTMLAttribute], _ content: HTML = .nothing) {
        let start = "<" + tag.rawValue + attributes.map(\.markup).joined() + ">"
        markup = tag.isVoid ? start : start + content.markup + "</" + tag.rawValue + ">"
    }

    /// Several pieces, one after the other.
    package init(_ pieces: some Sequence<HTML>) {
        markup = pieces.map(\.markup).joined()
    }

    package var isEmpty: Bool {
        markup.isEmpty
    }

    package static func document(_ root: HTML) -> String {
        "<!doctype html>\n" + root.markup + "\n"
    }

    /// An SVG image as a file.
    static func image(_ root: HTML) -> String {
        root.markup
    }
}

/// Puts pieces one after the other; a text among them is escaped.
@resultBuilder
package enum HTMLBuilder {
    package static func buildExpression(_ piece: HTML) -> HTML { piece }
    package static func buildExpression(_ text: String) -> HTML { HTML(text) }
    package static func buildBlock(_ pieces: HTML...) -> HTML { HTML(pieces) }
    package static func buildOptional(_ piece: HTML?) -> HTML { piece ?? .nothing }
    package static func buildEither(first: HTML) -> HTML { first }
    package static func buildEither(second: HTML) -> HTML { second }
    package static func buildArray(_ pieces: [HTML]) -> HTML { HTML(pieces) }
}

/// The elements that pages are made of.
package enum HTMLTag: String, Sendable {
    // The document.
    case html, head, title, meta, link, body
    // Sections.
    case header, nav, main, section, footer, h1, h2, h3
    // Groups.
    case div, p, ul, li, dl, dt, dd, pre, figure, figcaption, details, summary
    // Text.
    case a, span, strong, code, bdi, data, time
    // Tables.
    case table, caption, thead, tbody, tfoot, tr, th, td
    // Forms.
    case form, label, input, select, option, button
    // Images.
    case svg, g, line, rect, text

    /// Whether it has neither content nor an end.
    var isVoid: Bool {
        switch self {
        case .meta, .link, .input: true
        default: false
        }
    }
}

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

    package static func share(_ share: Double) -> HTML {
        HTML(.data, .value(share.fixed(places: 4))) { (share * 100).fixed(places: 1) + " %" }
    }

    /// An amount, rounded for people; programs find it exactly.
    static func money(_ amount: Money, places: Int) -> HTML {
        let step: Int64 = places == 4 ? 100 : 10_000
        let rounded = amount.micros / step + (amount.micros % step >= step / 2 ? 1 : 0)
        let (units, rest) = rounded.quotientAndRemainder(dividingBy: 1_000_000 / step)
        return HTML(.data, .value(amount.description)) {
            (amount.isSaturated ? ">" : "") + units.grouped + "." + rest.padded(to: places)
        }
    }

    package static func decimal(_ number: Double, places: Int) -> HTML {
        HTML(.data, .value(number.fixed(places: places))) { number.fixed(places: places) }
    }

    /// A moment, to the second; programs find it as the API writes it.
    package static func moment(_ milliseconds: Int64) -> HTML {
        time(Moment(milliseconds: milliseconds).text)
    }

    package static func preciseMoment(_ milliseconds: Int64) -> HTML {
        time(Moment(milliseconds: milliseconds).preciseText)
    }

    private static func time(_ text: String) -> HTML {
        let parts = text.dropLast().split(separator: "T", maxSplits: 1)
        return HTML(.time, [.datetime(text)], HTML(parts.joined(separator: " ") + " UTC"))
    }

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
