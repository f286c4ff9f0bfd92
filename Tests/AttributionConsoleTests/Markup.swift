import Testing

/// A document, read as strictly as it has to be written: every element is known and ends in order, every attribute is
/// quoted and escaped.
///
/// What is hostile and got out of its place shows as an element or attribute that is not ours.
struct Markup {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    struct Element: Equatable {
        let name: String
        let attributes: [String: String]
    }

    /// The elements in the order in which they begin.
    private(set) var elements: [Element] = []
    /// The text between them.
    private(set) var text = ""

    private static let void: Set<String> = ["meta", "link", "br", "input"]
    private static let known: Set<String> = [
        "html", "head", "title", "body", "header", "nav", "main", "section", "footer", "h1", "h2", "h3", "div", "p",
        "ul", "ol", "li", "dl", "dt", "dd", "pre", "figure", "figcaption", "details", "summary", "a", "span", "strong",
        "em", "code", "bdi", "data", "time", "abbr", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
        "form", "fieldset", "legend", "label", "select", "option", "button", "svg", "g", "line", "rect", "circle",
        "path", "text", "desc",
    ]

    init(_ document: String) throws {
        var rest = Substring(document)
        if rest.hasPrefix("<!doctype html>\n") {
            rest = rest.dropFirst("<!doctype html>\n".count)
        }
        var open: [String] = []
        while let start = rest.firstIndex(of: "<") {
            text += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ">") else { throw Fault(description: "an open tag") }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.popLast() == String(tag.dropFirst()) else { throw Fault(description: "</\(tag)>") }
                continue
            }
            let element = try Self.element(tag)
            elements.append(element)
            if !Self.void.contains(element.name) {
                guard Self.known.contains(element.name) else { throw Fault(description: "<\(tag)>") }
                open.append(element.name)
            }
        }
        text += rest
        guard open.isEmpty else { throw Fault(description: "not ended: \(open)") }
        for scalar in document.unicodeScalars where scalar.value < 0x20 && scalar != "\n" && scalar != "\t" {
            throw Fault(description: "U+\(String(scalar.value, radix: 16))")
        }
    }

    private static func element(_ tag: Substring) throws -> Element {
        let name = tag.prefix { $0 != " " }
        var rest = tag.dropFirst(name.count)
        var attributes: [String: String] = [:]
        while !rest.isEmpty {
            guard rest.first == " " else { throw Fault(description: "<\(tag)>") }
            rest = rest.dropFirst()
            let attribute = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
            rest = rest.dropFirst(attribute.count)
            guard !attribute.isEmpty, !attribute.hasPrefix("on"), attribute != "style" else {
                throw Fault(description: "<\(tag)>")
            }
            guard rest.hasPrefix("=\"") else {
                attributes[String(attribute)] = ""
                continue
            }
            rest = rest.dropFirst(2)
            guard let end = rest.firstIndex(of: "\"") else { throw Fault(description: "<\(tag)>") }
            attributes[String(attribute)] = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
        }
        for name in ["href", "action", "src"] {
            if let address = attributes[name], !address.hasPrefix("/"), !address.hasPrefix("#") {
                throw Fault(description: "\(name)=\(address)")
            }
        }
        return Element(name: String(name), attributes: attributes)
    }

    /// Expects that a page is whole: one heading, a language, a caption for each table, a label for each field.
    func check() {
        #expect(all("html").first?.attributes["lang"] == "en")
        #expect(all("h1").count == 1 && all("main").count == 1 && all("title").count >= 1)
        #expect(all("table").count == all("caption").count)
        #expect(all("th").allSatisfy { ["col", "row"].contains($0.attributes["scope"] ?? "") })
        #expect(all("svg").allSatisfy { $0.attributes["aria-hidden"] != nil || $0.attributes["aria-label"] != nil })
        let ids = elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count, "\(ids)")
        for element in elements {
            for name in ["aria-labelledby", "aria-describedby", "for"] {
                #expect(element.attributes[name].map { ids.contains($0) } ?? true, "\(element)")
            }
        }
        let labelled = Set(all("label").compactMap { $0.attributes["for"] })
        for field in all("input") + all("select") where field.attributes["type"] != "hidden" {
            #expect(labelled.contains(field.attributes["id"] ?? ""), "\(field)")
        }
    }

    /// The elements of a name.
    func all(_ name: String) -> [Element] {
        elements.filter { $0.name == name }
    }
}
