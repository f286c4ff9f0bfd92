/// Why a page, or a part of one, cannot be shown.
package struct PageProblem: Error, Hashable, Sendable {
    /// The stable code.
    package let code: String
    /// What was found and what was expected.
    package let message: String
    /// What to do.
    package let hint: String?

    /// Makes a problem.
    package init(code: String, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The problem among other parts of a page.
    var notice: HTML {
        HTML(.div, .class("notice bad")) {
            HTML(.p) {
                HTML(.strong) { code }
                ": "
                HTML.value(message, limit: 1_000)
            }
            if let hint {
                HTML(.p) { HTML.value(hint, limit: 1_000) }
            }
        }
    }

    /// A page that says nothing else.
    ///
    /// - Parameters:
    ///   - title: What could not be done.
    ///   - link: Where to go instead; the first page for nil.
    /// - Returns: The page.
    package func page(_ title: String, link: PageLink? = nil) -> Page {
        Page(title: title, place: .elsewhere) {
            notice
            HTML(.p) { HTML.link(link ?? PageLink(), link == nil ? "To the first page" : "Back") }
        }
    }
}
