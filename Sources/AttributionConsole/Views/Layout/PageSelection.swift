package import Attribution
package import AttributionReports

/// What a page is asked for: the traffic, days and conditions, under the API's names, as every link of the page repeats
/// them.
package struct PageSelection: Hashable, Sendable {
    /// `provenance`; nil for Apple's.
    package var provenance: String?
    /// `time-zone`; nil for UTC.
    package var timeZone: String?
    /// `period`; nil for the days of ``from`` and ``to``, or ``defaultPeriod``.
    package var period: String?
    package var from: String?
    package var to: String?
    /// Each `where`.
    package var filters: [String]
    /// Whether ids that are of one campaign share a row: `roll-up`.
    package var isRolledUp: Bool

    /// The days of a page that names none.
    package static let defaultPeriod = "30d"
    /// The longest link that is worth following: servers refuse long ones.
    static let longestLink = 2_000

    package init(
        provenance: String? = nil, timeZone: String? = nil, period: String? = nil, from: String? = nil,
        to: String? = nil, filters: [String] = [], isRolledUp: Bool = true
    ) {
        self.provenance = provenance
        self.timeZone = timeZone
        self.period = period
        self.from = from
        self.to = to
        self.isRolledUp = isRolledUp
        self.filters = filters.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The days, where neither a period nor a day is named.
    package var effectivePeriod: String? {
        period ?? (from == nil && to == nil ? Self.defaultPeriod : nil)
    }

    /// The parameters that are not what they are by default.
    package var parameters: [PageLink.Parameter] {
        let single: [(String, String?)] = [
            ("provenance", provenance == Traffic.apple.rawValue ? nil : provenance),
            ("time-zone", timeZone == "UTC" ? nil : timeZone),
            ("period", period == Self.defaultPeriod ? nil : period), ("from", from), ("to", to),
        ]
        return single.compactMap { name, value in value.map { PageLink.Parameter(name, $0) } }
            + filters.map { PageLink.Parameter("where", $0) }
            + (isRolledUp ? [] : [PageLink.Parameter("roll-up", "false")])
    }

    package func link(_ page: PageLink) -> PageLink {
        page.adding(parameters)
    }

    package func with(period: String) -> PageSelection {
        var selection = self
        (selection.period, selection.from, selection.to) = (period, nil, nil)
        return selection
    }

    /// As many days before or after some; a whole calendar month leads to the months beside it.
    package func moved(from days: CalendarPeriod, forwards: Bool) -> PageSelection {
        let beside = forwards ? days.last.next : days.first.advanced(by: -1)
        let month = beside.description.prefix(7)
        let isMonth =
            days.first.description.hasSuffix("-01") && days.last.next.description.hasSuffix("-01")
            && days.first.description.prefix(7) == days.last.description.prefix(7)
        guard !isMonth else {
            return with(period: String(month))
        }
        let other = beside.advanced(by: (days.count - 1) * (forwards ? 1 : -1))
        var selection = self
        selection.period = nil
        selection.from = min(beside, other).description
        selection.to = max(beside, other).description
        return selection
    }

    /// The selection of the rows with a value alone, in place of what selected this dimension before.
    package func narrowed(to dimension: ReportDimension, _ value: String) -> PageSelection {
        var selection = self
        let name = dimension.rawValue
        selection.filters.removeAll { $0.hasPrefix(name + "=") || $0.hasPrefix(name + "!=") }
        selection.filters.append(name + "=" + value)
        return selection
    }

    /// The selection of the networks and apps alone, by which alone what ads cost can be selected.
    var ofApps: PageSelection {
        var selection = self
        selection.filters.removeAll { filter in
            ![ReportDimension.network, .app].contains { filter.hasPrefix($0.rawValue + "=") }
        }
        return selection
    }

    /// The selection without conditions that a page refuses.
    func fitting(_ place: PagePlace) -> PageSelection {
        guard case .report(let text) = place, let name = StandardReportName(rawValue: text) else {
            return self
        }
        var selection = name.hasCosts ? ofApps : self
        if !name.countsPostbacks {
            selection.filters = []
        }
        return selection
    }

    package func without(_ filter: String) -> PageSelection {
        var selection = self
        selection.filters.removeAll { $0 == filter }
        return selection
    }

    /// A page of the rows with a value alone; nil for a value too long to be in a link.
    ///
    /// A value of a dimension of time selects its days, which are the nearest that can be selected for an hour.
    package func link(_ page: PageLink, narrowedTo dimension: ReportDimension, _ value: String) -> PageLink? {
        guard !dimension.isOfInstall else {
            // Only days of receipt can be selected.
            return nil
        }
        let narrowed =
            switch dimension {
            case .hour: with(period: String(value.prefix { $0 != "T" }))
            case .day, .week, .month: with(period: value)
            default: narrowed(to: dimension, value)
            }
        let link = narrowed.link(page)
        return link.text.utf8.count <= Self.longestLink ? link : nil
    }
}

/// Where a page is among the others, for the navigation.
enum PagePlace: Hashable, Sendable {
    case overview, campaign, explore, quarantine, postback, conflicts, destinations, keys, definitions
    /// A standard report, by name.
    case report(String)
    /// None of them.
    case elsewhere

    var link: PageLink {
        switch self {
        case .overview, .elsewhere: PageLink()
        case .campaign: PageLink("campaign")
        case .explore: PageLink("explore")
        case .quarantine: PageLink("quarantine")
        case .postback: PageLink("postback")
        case .conflicts: PageLink("conflicts")
        case .destinations: PageLink("destinations")
        case .keys: PageLink("keys")
        case .definitions: PageLink("definitions")
        case .report(let name): PageLink("reports", name)
        }
    }

    /// The pages of what concerns all networks, which refuse who is limited to some, with their names.
    static let ofAllNetworks: [(name: String, place: PagePlace)] = [
        ("Quarantine", .quarantine), ("Conflicts", .conflicts), ("Postback", .postback),
        ("Destinations", .destinations), ("Keys and tokens", .keys),
    ]

    /// Whether it counts postbacks, and so keeps the selection of the page that links to it.
    var isSelective: Bool {
        switch self {
        case .overview, .campaign, .explore, .report: true
        case .quarantine, .postback, .conflicts, .destinations, .keys, .definitions, .elsewhere: false
        }
    }
}
