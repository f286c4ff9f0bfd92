package import StrictJSON

extension WebAdPageLink {
    /// Reads the attributes from the link as HTML, `<a href="…" attributionDestination="…" …>`.
    ///
    /// - Parameter html: The HTML of the link.
    /// - Throws: ``Attribution/FieldProblem`` naming the attribute at fault.
    package init(html: String) throws(FieldProblem) {
        var attributes: [String: String] = [:]
        for match in html.prefix(while: { $0 != ">" }).matches(of: /([A-Za-z]+)="([^"]*)"/) {
            attributes[match.1.lowercased()] = Self.unescaped(match.2)
        }
        try self.init { name throws(FieldProblem) in
            guard let text = attributes[name.lowercased()] else {
                throw FieldProblem(field: name, found: "nothing", expected: "an attribute of the link: \(name)=\"…\"")
            }
            return text
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(String(text)) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}
