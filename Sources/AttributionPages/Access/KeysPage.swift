/// The keys and tokens in use, by name; never a secret.
package struct KeysPage {
    /// A key.
    package struct Key: Hashable, Sendable {
        let name: String
        let purpose: String
        let detail: String

        /// Makes a key.
        package init(name: String, purpose: String, detail: String) {
            self.name = name
            self.purpose = purpose
            self.detail = detail
        }
    }

    /// A token.
    package struct Token: Hashable, Sendable {
        let id: String
        let name: String
        let scopes: String
        let networks: String
        let created: String
        let expires: String
        let used: String
        let isLive: Bool

        /// Makes a token.
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

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - tokens: The tokens; nil for a console without a list.
    package init(keys: [Key], tokens: [Token]?) {
        self.keys = keys
        self.tokens = tokens
    }

    /// The page.
    package var page: Page {
        let tables = [keysTable, tokensTable].compactMap(\.self)
        return Page(title: "Keys and tokens", place: .keys, tables: tables) {
            HTML(
                tables.map { table in
                    HTML(.section, .class("card"), .ariaLabelledBy(table.id + "-caption")) {
                        table.html(csv: PagePlace.keys.link.adding("format", "csv").adding("section", table.id))
                    }
                })
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
