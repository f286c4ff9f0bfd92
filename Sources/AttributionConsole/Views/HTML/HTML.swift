import Attribution

/// A piece of a page.
///
/// Text gets in through one door, which escapes it; elements, attributes and their names are those of closed sets. So
/// nothing that a device or a person sent can become markup.
package struct HTML: Hashable, Sendable {
    private let markup: String

    private init(markup: String) {
        self.markup = markup
    }

    /// Nothing.
    package static let nothing = HTML(markup: "")

    /// A text.
    package init(_ text: String) {
        markup = text.escapedHTML
    }

    /// An element.
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

    /// Whether there is nothing.
    package var isEmpty: Bool {
        markup.isEmpty
    }

    /// The whole document.
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
