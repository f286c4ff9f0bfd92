/// The elements that pages are made of.
package enum HTMLTag: String, Sendable {
    // The document.
    case html, head, title, meta, link, body
    // Sections.
    case header, nav, main, section, footer, h1, h2, h3
    // Groups.
    case div, p, ul, ol, li, dl, dt, dd, pre, figure, figcaption, details, summary
    // Text.
    case a, span, strong, em, code, bdi, data, time, abbr, br
    // Tables.
    case table, caption, thead, tbody, tfoot, tr, th, td
    // Forms.
    case form, fieldset, legend, label, input, select, option, button
    // Images.
    case svg, g, line, rect, circle, path, text, desc

    /// Whether it has neither content nor an end.
    var isVoid: Bool {
        switch self {
        case .meta, .link, .br, .input: true
        default: false
        }
    }
}
