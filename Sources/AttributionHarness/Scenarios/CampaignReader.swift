import Attribution
import StrictJSON

/// Reads one advertised app.
struct AppReader {
    let app: Scenario.App

    init(_ fields: DocumentFields, _ networks: [Scenario.Network]) throws(DocumentProblem) {
        try fields.allow(
            "name", "id", "redownloads", "launches", "countries", "marketplaces", "overlapping-re-engagements",
            "developer-copies", "AdAttributionKitConfigurations")
        let countries = try fields.weights("countries") ?? [Weighted("US", 1)]
        if let wrong = countries.first(where: { CountryCode($0.choice) == nil }) {
            throw fields.problem(
                "countries", found: "\"\(wrong.choice.shortened(to: 60))\"", expected: "codes of two capitals",
                cure: "write ISO 3166 codes such as US or DE")
        }
        app = Scenario.App(
            name: try fields.text("name"), id: Int64(try fields.integer("id", in: 1...Int.max)),
            redownloads: try fields.number("redownloads", in: 0...1, else: 0.2),
            launches: try fields.number("launches", in: 0...1, else: 0.97), countries: countries,
            marketplaces: try fields.weights("marketplaces") ?? [Weighted("com.apple.AppStore", 1)],
            overlapsReengagements: try fields.flag("overlapping-re-engagements", else: false),
            rules: !fields.has("AdAttributionKitConfigurations")
                ? AppAttributionRules()
                : try AppAttributionRules(
                    try fields.child("AdAttributionKitConfigurations"),
                    networks: networks.map { $0.id(in: .adAttributionKit) }),
            copies: try Self.copies(fields))
    }

    private static func copies(_ app: DocumentFields) throws(DocumentProblem) -> DeveloperCopies {
        guard app.has("developer-copies") else {
            return DeveloperCopies()
        }
        let fields = try app.child("developer-copies")
        try fields.allow("SKAdNetwork", "AdAttributionKit", "re-engagements")
        return DeveloperCopies(
            skAdNetwork: try endpoint(fields, "SKAdNetwork"),
            adAttributionKit: try endpoint(fields, "AdAttributionKit"),
            includesReengagements: try fields.flag("re-engagements", else: false))
    }

    private static func endpoint(
        _ fields: DocumentFields, _ name: String
    ) throws(DocumentProblem) -> DeveloperCopies.Endpoint? {
        guard let text = try fields.optionalText(name) else {
            return nil
        }
        guard let endpoint = DeveloperCopies.Endpoint(rawValue: text) else {
            throw fields.problem(
                name, found: "\"\(text.shortened(to: 60))\"", expected: "ours or elsewhere",
                cure: "write ours where the developer's endpoint is our server, and elsewhere where it is not")
        }
        return endpoint
    }
}

/// Reads one campaign, whose network, app, sources and behavior were read before.
struct CampaignReader {
    let campaign: Scenario.Campaign

    init(_ fields: DocumentFields, _ scenario: Scenario) throws(DocumentProblem) {
        try fields.allow(
            "name", "network", "app", "campaign-id", "source-identifier", "installs", "weekdays", "growth", "from",
            "through", "sources", "views", "rivals", "behavior", "versions", "costs")
        let network = try fields.index(
            of: try fields.text("network"), in: scenario.networks.map(\.id), "network", kind: "networks")
        let app = try fields.index(of: try fields.text("app"), in: scenario.apps.map(\.name), "app", kind: "apps")
        let behavior = try fields.index(
            of: try fields.text("behavior"), in: scenario.behaviors.map(\.name), "behavior", kind: "behavior")
        let from = try fields.integer("from", in: 1...3_650, else: 1)
        let sources = try Self.sources(fields, scenario)
        let versions = try Self.versions(fields)
        campaign = Scenario.Campaign(
            name: try fields.text("name"), network: network, app: app,
            campaignID: try fields.integer("campaign-id", in: 1...100, else: 1),
            sourceIdentifier: try fields.integer("source-identifier", in: 0...9_999, else: 1_000),
            installs: try fields.number("installs", in: 0...10_000_000),
            weekdays: try fields.numbers("weekdays", count: 7, in: 0...10) ?? Array(repeating: 1, count: 7),
            growth: try fields.number("growth", in: 0...10, else: 1), from: from,
            through: try fields.integer("through", in: from...Int.max, else: .max), sources: sources,
            views: try fields.number("views", in: 0...1, else: 0.2),
            rivals: try fields.number("rivals", in: 0...20, else: 0.8), behavior: behavior, versions: versions,
            costs: try Self.costs(fields))
        try Self.check(campaign, fields, scenario)
    }

    private static func sources(_ fields: DocumentFields, _ scenario: Scenario) throws(DocumentProblem) -> [Weighted<
        Int
    >] {
        guard let weights = try fields.weights("sources") else {
            return scenario.sources.indices.map { Weighted($0, 1) }
        }
        var sources: [Weighted<Int>] = []
        for weight in weights {
            let index = try fields.index(
                of: weight.choice, in: scenario.sources.map(\.name), "sources", kind: "sources")
            sources.append(Weighted(index, weight.weight))
        }
        return sources
    }

    private static func versions(_ fields: DocumentFields) throws(DocumentProblem) -> [Scenario.DatedVersions] {
        var versions: [Scenario.DatedVersions] = []
        for dated in try fields.children("versions") {
            try dated.allow("from", "shares")
            let names = AttributionVersion.allCases.map(\.name)
            var shares: [Weighted<AttributionVersion>] = []
            for weight in try dated.weights("shares") ?? [] {
                let index = try dated.index(of: weight.choice, in: names, "shares", kind: "the versions")
                shares.append(Weighted(AttributionVersion.allCases[index], weight.weight))
            }
            guard !shares.isEmpty else {
                throw dated.problem(
                    "shares", found: "nothing", expected: "the weight of each version",
                    cure: "add \"shares\", such as {\"4.0\": 70, \"AdAttributionKit\": 30}")
            }
            versions.append(.init(from: try dated.integer("from", in: 1...3_650, else: 1), shares: shares))
        }
        return versions.isEmpty ? [.init(from: 1, shares: [Weighted(.v4_0, 1)])] : versions
    }

    private static func costs(_ campaign: DocumentFields) throws(DocumentProblem) -> Scenario.AdPrice? {
        guard campaign.has("costs") else {
            return nil
        }
        let fields = try campaign.child("costs")
        try fields.allow("ads", "per-thousand", "currency")
        let code = try fields.text("currency")
        guard let currency = CurrencyCode(code) else {
            throw fields.problem(
                "currency", found: "\"\(code.shortened(to: 60))\"", expected: "a code of ISO 4217",
                cure: "write one such as USD or EUR")
        }
        return Scenario.AdPrice(
            ads: try fields.number("ads", in: 0...1_000_000),
            perThousand: try fields.number("per-thousand", in: 0...1_000_000), currency: currency)
    }

    /// What fits each field and still cannot be.
    private static func check(
        _ campaign: Scenario.Campaign, _ fields: DocumentFields, _ scenario: Scenario
    ) throws(DocumentProblem) {
        let versions = Set(campaign.versions.flatMap { $0.shares.map(\.choice) })
        if scenario.networks[campaign.network].id == Scenario.Network.appleAds, versions.contains(.v4_0) {
            throw fields.problem(
                "versions", found: "4.0 for \(Scenario.Network.appleAds)",
                expected: "1.0 to 3.0 and AdAttributionKit, which Apple Ads sends", cure: "leave 4.0 out")
        }
        let hasApp = campaign.sources.contains { scenario.sources[$0.choice].app != nil }
        if !hasApp, versions != [.v4_0] {
            throw fields.problem(
                "sources", found: "sites alone", expected: "an app among them, for only 4.0 has web ads",
                cure: "add a source with an app, or let all versions be 4.0")
        }
    }
}

extension DocumentFields {
    /// An object whose members are weights.
    func weights(_ name: String) throws(DocumentProblem) -> [Weighted<String>]? {
        guard has(name) else {
            return nil
        }
        let fields = try child(name)
        var weights: [Weighted<String>] = []
        for member in fields.members {
            weights.append(
                Weighted(member.name, try Self.number(member.value, fields.path(member.name), in: 0...1_000_000)))
        }
        guard weights.contains(where: { $0.weight > 0 }) else {
            throw problem(
                name, found: "no weight above 0", expected: "an object with at least one",
                cure: "give each choice its weight, such as 70 and 30")
        }
        return weights
    }
}
