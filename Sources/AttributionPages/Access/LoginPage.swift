/// The form that takes a token.
package struct LoginPage {
    private let next: String
    private let problem: PageProblem?

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - next: Where to go then, a path and query of this console.
    ///   - problem: Why the last attempt failed.
    package init(next: String, problem: PageProblem? = nil) {
        self.next = next
        self.problem = problem
    }

    /// The page.
    ///
    /// - Parameter formToken: What the form has to carry.
    /// - Returns: The page.
    package func page(formToken: String) -> Page {
        Page(title: "Log in", place: .elsewhere) {
            if let problem {
                problem.notice
            }
            HTML(.section, .class("card"), .ariaLabel("Token")) {
                HTML(.form, .method("post"), .action(PageLink("login"))) {
                    HTML.formToken(formToken)
                    HTML(.input, .type("hidden"), .name(PageForm.nextField), .value(next))
                    HTML(.p, .class("field wide")) {
                        HTML(.label, .for("token")) { "Token" }
                        HTML(
                            .input, .type("password"), .id("token"), .name(PageForm.accessTokenField), .required,
                            .autocomplete("current-password"), .spellcheck(false), .ariaDescribedBy("token-help"))
                    }
                    HTML(.button, .type("submit")) { "Log in" }
                }
                HTML(.p, .id("token-help"), .class("more")) {
                    "A token with the scope report shows the pages, and one with the scope manage as well can change "
                    "the quarantine. An operator makes one with "
                    HTML(.code) { "skan tokens create" }
                    "."
                }
            }
        }
    }
}
