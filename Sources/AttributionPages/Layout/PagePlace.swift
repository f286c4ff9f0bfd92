/// Where a page is among the others, for the navigation.
package enum PagePlace: Hashable, Sendable {
    case overview, explore, quarantine, postback, conflicts, keys, definitions
    /// A standard report, by name.
    case report(String)
    /// None of them.
    case elsewhere

    /// The address.
    package var link: PageLink {
        switch self {
        case .overview, .elsewhere: PageLink()
        case .explore: PageLink("explore")
        case .quarantine: PageLink("quarantine")
        case .postback: PageLink("postback")
        case .conflicts: PageLink("conflicts")
        case .keys: PageLink("keys")
        case .definitions: PageLink("definitions")
        case .report(let name): PageLink("reports", name)
        }
    }

    /// The pages of the navigation, besides reports, with their names.
    static let named: [(place: PagePlace, name: String)] = [
        (.overview, "Overview"), (.explore, "Explore"), (.quarantine, "Quarantine"), (.conflicts, "Conflicts"),
        (.postback, "Postback"), (.keys, "Keys and tokens"), (.definitions, "Definitions"),
    ]

    /// Whether it shows what concerns all networks, and so refuses who is limited to some.
    var isOfAllNetworks: Bool {
        switch self {
        case .quarantine, .postback, .conflicts, .keys: true
        case .overview, .explore, .report, .definitions, .elsewhere: false
        }
    }

    /// Whether it counts postbacks, and so keeps the selection of the page that links to it.
    var isSelective: Bool {
        switch self {
        case .overview, .explore, .report: true
        case .quarantine, .postback, .conflicts, .keys, .definitions, .elsewhere: false
        }
    }
}
