import Attribution

/// A page: its title, its place, and its content.
struct Page: Sendable {
    /// The title, without the program's name.
    let title: String
    let place: PagePlace
    /// What it counts; nil where it counts nothing.
    let selection: PageSelection?
    let tables: [PageTable]
    /// What chooses the days, beside the title.
    let controls: HTML
    let content: HTML

    init(
        title: String,
        place: PagePlace,
        selection: PageSelection? = nil,
        tables: [PageTable] = [],
        controls: HTML = .nothing,
        @HTMLBuilder content: () -> HTML
    ) {
        self.title = title
        self.place = place
        self.selection = selection
        self.tables = tables
        self.controls = controls
        self.content = content()
    }
}

/// What every page shows besides its content.
struct PageSurroundings: Sendable {
    /// Who is logged in; nil where no one needs to.
    let holder: String?
    /// What a change has to carry; nil before the login.
    let formToken: String?
    let reports: [String]
    let version: String
    /// Whether who is logged in sees some networks or apps alone.
    var isLimited = false
}

extension Page {
    func document(in surroundings: PageSurroundings) -> String {
        HTML.document(
            HTML(.html, .lang("en")) {
                HTML(.head) {
                    HTML(.meta, .charset("utf-8"))
                    HTML(.title) { "\(title) · skan" }
                    HTML(.meta, .name("viewport"), .content("width=device-width, initial-scale=1"))
                    HTML(.meta, .name("color-scheme"), .content("light dark"))
                    HTML(.link, .rel("icon"), .type("image/svg+xml"), .href(PageAsset.icon.link))
                    HTML(.link, .rel("stylesheet"), .href(PageAsset.style.link))
                }
                HTML(.body) {
                    HTML(.a, .class("skip"), .href(toID: "content")) { "Skip to the content" }
                    header(surroundings)
                    HTML(.main, .id("content"), .tabindex(-1)) {
                        HTML(.div, .class("title")) {
                            HTML(.h1) { HTML.value(title, limit: 120) }
                            controls
                        }
                        content
                    }
                    HTML(.footer) {
                        HTML(.p) {
                            surroundings.version.isEmpty ? "" : "skan \(surroundings.version). "
                            "Times are UTC unless a page names another time zone. "
                            HTML(.a, .href(PageLink("openapi.yaml"))) { "API" }
                        }
                    }
                }
            })
    }

    private func header(_ surroundings: PageSurroundings) -> HTML {
        HTML(.header) {
            HTML(.p, .class("brand")) { "skan" }
            HTML(.nav, .ariaLabel("Pages")) {
                HTML(.ul) {
                    item("Overview", .overview)
                    menu("Reports", surroundings.reports.map { ($0.capitalizedFirst, .report($0)) })
                    item("Explore", .explore)
                    menu("Operations", surroundings.isLimited ? [] : PagePlace.ofAllNetworks)
                    item("Definitions", .definitions)
                }
            }
            if let holder = surroundings.holder, let token = surroundings.formToken {
                HTML(.form, .class("logout"), .method("post"), .action(PageLink("logout"))) {
                    HTML.formToken(token)
                    HTML(.span) { "Logged in as \(holder)" }
                    HTML(.button, .type("submit")) { "Log out" }
                }
            }
        }
    }

    private func menu(_ name: String, _ items: [(name: String, place: PagePlace)]) -> HTML {
        let isHere = items.contains { $0.place == place }
        return items.isEmpty
            ? .nothing
            : HTML(.li) {
                HTML(.details) {
                    HTML(.summary, isHere ? .class("here") : .class("menu")) { name }
                    HTML(.ul) { HTML(items.map { item($0.name, $0.place) }) }
                }
            }
    }

    private func item(_ name: String, _ place: PagePlace) -> HTML {
        let link = place.isSelective ? selection?.fitting(place).link(place.link) ?? place.link : place.link
        return HTML(.li) {
            HTML(.a, [.href(link)] + (place == self.place ? [.ariaCurrent("page")] : []), HTML(name))
        }
    }
}

extension HTML {
    /// The hidden field without which no change is made.
    static func formToken(_ token: String) -> HTML {
        .hidden([PageLink.Parameter(PageForm.tokenField, token)])
    }
}

/// The names of form fields that the server reads.
enum PageForm {
    /// The hidden field of every form that changes something.
    static let tokenField = "form-token"
    /// The field of the login with the token.
    static let accessTokenField = "token"
    /// The page to go to after the login.
    static let nextField = "next"
}

extension String {
    /// The text with its first letter as a capital.
    var capitalizedFirst: String {
        prefix(1).uppercased() + dropFirst()
    }
}

/// Why a page, or a part of one, cannot be shown.
struct PageProblem: Error, Hashable, Sendable {
    let code: String
    /// What was found and what was expected.
    let message: String
    let hint: String?

    /// What a person is told of an error.
    init(_ error: any CodedError) {
        (code, message, hint) = (error.code.rawValue, error.message, error.hint)
    }

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
    func page(_ title: String, link: PageLink? = nil) -> Page {
        Page(title: title, place: .elsewhere) {
            notice
            HTML(.p) { HTML.link(link ?? PageLink(), link == nil ? "To the first page" : "Back") }
        }
    }
}
