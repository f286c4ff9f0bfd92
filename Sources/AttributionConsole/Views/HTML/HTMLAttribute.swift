import Attribution
import StrictJSON

/// An attribute of an element.
///
/// Names are literals, values are escaped, and an address is a ``PageLink``: there is no way to write a script or a
/// style.
package struct HTMLAttribute: Hashable, Sendable {
    let markup: String

    private init(_ name: String, _ value: String) {
        markup = " " + name + "=\"" + value.escapedHTML + "\""
    }

    private init(flag: String) {
        markup = " " + flag
    }

    package static func `class`(_ names: StaticString) -> Self { Self("class", "\(names)") }
    package static func id(_ id: String) -> Self { Self("id", id) }
    package static func lang(_ language: StaticString) -> Self { Self("lang", "\(language)") }
    package static func dir(_ direction: StaticString) -> Self { Self("dir", "\(direction)") }
    package static func title(_ text: String) -> Self { Self("title", text) }
    package static func role(_ role: StaticString) -> Self { Self("role", "\(role)") }
    package static func tabindex(_ index: Int) -> Self { Self("tabindex", String(index)) }
    package static let open = Self(flag: "open")
    package static func datetime(_ moment: String) -> Self { Self("datetime", moment) }

    // Links.
    package static func href(_ link: PageLink) -> Self { Self("href", link.text) }
    /// A link within the page.
    package static func href(toID id: String) -> Self { Self("href", "#" + id) }
    package static func rel(_ relation: StaticString) -> Self { Self("rel", "\(relation)") }
    package static func type(_ type: StaticString) -> Self { Self("type", "\(type)") }
    package static let download = Self(flag: "download")

    // The head.
    package static func charset(_ name: StaticString) -> Self { Self("charset", "\(name)") }
    package static func content(_ text: StaticString) -> Self { Self("content", "\(text)") }

    // Accessibility.
    package static func ariaLabel(_ text: String) -> Self { Self("aria-label", text) }
    package static func ariaLabelledBy(_ id: String) -> Self { Self("aria-labelledby", id) }
    package static func ariaDescribedBy(_ id: String) -> Self { Self("aria-describedby", id) }
    package static func ariaCurrent(_ kind: StaticString) -> Self { Self("aria-current", "\(kind)") }
    package static func ariaSort(_ order: StaticString) -> Self { Self("aria-sort", "\(order)") }
    package static let ariaHidden = Self("aria-hidden", "true")

    // Tables.
    package static func scope(_ scope: StaticString) -> Self { Self("scope", "\(scope)") }

    // Forms.
    package static func action(_ link: PageLink) -> Self { Self("action", link.text) }
    package static func method(_ method: StaticString) -> Self { Self("method", "\(method)") }
    package static func name(_ name: String) -> Self { Self("name", name) }
    package static func value(_ value: String) -> Self { Self("value", value) }
    package static func `for`(_ id: String) -> Self { Self("for", id) }
    package static func autocomplete(_ kind: StaticString) -> Self { Self("autocomplete", "\(kind)") }
    package static func placeholder(_ text: String) -> Self { Self("placeholder", text) }
    package static func spellcheck(_ isOn: Bool) -> Self { Self("spellcheck", String(isOn)) }
    package static let required = Self(flag: "required")
    package static let selected = Self(flag: "selected")

    // Images: numbers and percentages only.
    static func x(_ length: SVGLength) -> Self { Self("x", length.text) }
    static func y(_ length: SVGLength) -> Self { Self("y", length.text) }
    static func x1(_ length: SVGLength) -> Self { Self("x1", length.text) }
    static func x2(_ length: SVGLength) -> Self { Self("x2", length.text) }
    static func y1(_ length: SVGLength) -> Self { Self("y1", length.text) }
    static func y2(_ length: SVGLength) -> Self { Self("y2", length.text) }
    static func width(_ length: SVGLength) -> Self { Self("width", length.text) }
    static func height(_ length: SVGLength) -> Self { Self("height", length.text) }
    static func textAnchor(_ anchor: StaticString) -> Self { Self("text-anchor", "\(anchor)") }
    static func fill(_ color: StaticString) -> Self { Self("fill", "\(color)") }
    static func viewBox(_ box: StaticString) -> Self { Self("viewBox", "\(box)") }
    static let svgNamespace = Self("xmlns", "http://www.w3.org/2000/svg")
}

/// A length in an image: pixels, or a part of the image's width.
enum SVGLength: Hashable, Sendable {
    case pixels(Double)
    case percent(Double)

    var text: String {
        switch self {
        case .pixels(let number): Self.text(number)
        case .percent(let number): Self.text(number) + "%"
        }
    }

    /// A number with two decimal places at most.
    private static func text(_ number: Double) -> String {
        let hundredths = Int64((number * 100).rounded())
        guard hundredths % 100 != 0 else { return String(hundredths / 100) }
        return number.fixed(places: 2)
    }
}
