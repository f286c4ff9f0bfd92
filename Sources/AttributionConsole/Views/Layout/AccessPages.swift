import Attribution
import FoundationEssentials

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

    let keys: [Key]
    /// The tokens, with when each was last used, in Unix seconds; nil for a console without tokens.
    let tokens: [(grant: AccessGrant, used: Int64?)]?

    var page: Page {
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
                    .init("name"), .init("id"), .init("scopes"), .init("limited to"), .init("created"),
                    .init("expires"), .init("last used"), .init("state"),
                ],
                rows: tokens.map(row),
                emptyText: "The list has no tokens.")
        }
    }

    private func row(_ grant: AccessGrant, _ used: Int64?) -> PageTable.Row {
        .init([
            .value(grant.name), .words(grant.id),
            .words(grant.scopes.map(\.rawValue).joined(separator: ", ")),
            .value(grant.limits ?? "nothing"),
            .words(grant.created.formatted(.iso8601)), .words(grant.expires?.description ?? "never"),
            .words(used.map { Date(timeIntervalSince1970: Double($0)).formatted(.iso8601) } ?? "unknown"),
            .words(grant.isLive(at: Date()) ? "live" : "expired"),
        ])
    }
}

/// The form that takes a token.
struct LoginPage {
    let next: String
    var problem: PageProblem?

    func page(formToken: String) -> Page {
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
