/// The keys and tokens in use, by name; never a secret.
package struct KeysPage {
    package struct Key: Hashable, Sendable {
        let name: String
        let purpose: String
        let detail: String

        package init(name: String, purpose: String, detail: String) {
            self.name = name
            self.purpose = purpose
            self.detail = detail
        }
    }

    package struct Token: Hashable, Sendable {
        let id: String
        let name: String
        let scopes: String
        let networks: String
        let created: String
        let expires: String
        let used: String
        let isLive: Bool

        package init(
            id: String, name: String, scopes: String, networks: String, created: String, expires: String, used: String,
            isLive: Bool
        ) {
            self.id = id
            self.name = name
            self.scopes = scopes
            self.networks = networks
            self.created = created
            self.expires = expires
            self.used = used
            self.isLive = isLive
        }
    }

    private let keys: [Key]
    private let tokens: [Token]?

    package init(keys: [Key], tokens: [Token]?) {
        self.keys = keys
        self.tokens = tokens
    }

    package var page: Page {
        let tables = [keysTable, tokensTable].compactMap(\.self)
        return Page(title: "Keys and tokens", place: .keys, tables: tables) {
            HTML(tables.map { $0.card(of: PagePlace.keys.link) })
            if tokens == nil {
                HTML.notice(
                    .uncertain,
                    "This console has no tokens: everyone who reaches it on this machine may do everything. "
                        + "skan tokens create makes one.")
            }
        }
    }

    private var keysTable: PageTable {
        PageTable(
            id: "keys", caption: "Keys",
            columns: [.init("key"), .init("purpose"), .init("detail")],
            rows: keys.map { .init([.value($0.name), .words($0.purpose), .value($0.detail)]) },
            emptyText: "There are no keys.")
    }

    private var tokensTable: PageTable? {
        tokens.map { tokens in
            PageTable(
                id: "tokens", caption: "Tokens",
                columns: [
                    .init("name"), .init("id"), .init("scopes"), .init("networks"), .init("created"), .init("expires"),
                    .init("last used"), .init("state"),
                ],
                rows: tokens.map {
                    .init([
                        .value($0.name), .words($0.id), .words($0.scopes), .value($0.networks), .words($0.created),
                        .words($0.expires), .words($0.used), .words($0.isLive ? "live" : "expired"),
                    ])
                },
                emptyText: "The list has no tokens.")
        }
    }
}

/// The form that takes a token.
package struct LoginPage {
    private let next: String
    private let problem: PageProblem?

    package init(next: String, problem: PageProblem? = nil) {
        self.next = next
        self.problem = problem
    }

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
