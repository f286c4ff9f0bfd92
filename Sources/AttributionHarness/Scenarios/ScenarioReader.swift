package import Attribution
import StrictJSON

/// Reads a scenario from its file.
struct ScenarioReader {
    private let file: DocumentFields
    private var scenario: Scenario

    /// Reads the parts in the order in which they name each other.
    init(_ bytes: [UInt8]) throws(DocumentProblem) {
        file = try DocumentFields(
            reading: bytes, name: "scenario", cure: "compare it with a file of samples/scenarios")
        try file.allow(
            "scenario", "about", "days", "running-since", "networks", "apps", "sources", "behavior", "campaigns",
            "crowds", "faults", "outages")
        scenario = Scenario(
            name: try file.text("scenario"), about: try file.optionalText("about") ?? "",
            days: try file.integer("days", in: 1...3_650),
            runningSince: try file.integer("running-since", in: 0...365, else: 0), networks: [], apps: [],
            sources: [], behaviors: [], campaigns: [], crowds: CrowdThresholds(), faults: [], outages: [])
        try readNetworks()
        try readApps()
        try readSources()
        try readBehaviors()
        try readCampaigns()
        try readCrowds()
        try readFaults()
        try readOutages()
    }

    var result: Scenario {
        scenario
    }

    private mutating func readNetworks() throws(DocumentProblem) {
        for fields in try file.objects("networks") {
            try fields.allow("id", "adattributionkit-id")
            let id = try fields.text("id")
            guard AdNetworkID(id) != nil, !scenario.networks.contains(where: { $0.id == id }) else {
                throw fields.problem(
                    "id", found: "\"\(id.shortened(to: 60))\"", expected: "an ad network id, each once",
                    cure: "write one such as example123.skadnetwork")
            }
            scenario.networks.append(
                .init(id: id, adAttributionKitID: try fields.optionalText("adattributionkit-id")))
        }
    }

    private mutating func readApps() throws(DocumentProblem) {
        for fields in try file.objects("apps") {
            scenario.apps.append(try AppReader(fields, scenario.networks).app)
        }
    }

    private mutating func readSources() throws(DocumentProblem) {
        for fields in try file.objects("sources") {
            try fields.allow("name", "app", "domain", "views-an-hour")
            let domain = try fields.optionalText("domain")
            guard fields.has("app") != (domain != nil) else {
                throw fields.problem(
                    "app", found: domain == nil ? "nothing" : "an app beside a domain",
                    expected: "either app or domain", cure: "write the one that shows the ads")
            }
            scenario.sources.append(
                .init(
                    name: try fields.text("name"),
                    app: domain == nil ? Int64(try fields.integer("app", in: 0...Int.max)) : nil, domain: domain,
                    viewsAnHour: try fields.number("views-an-hour", in: 0...1_000, else: 0.2)))
        }
    }

    private mutating func readBehaviors() throws(DocumentProblem) {
        for fields in try file.objects("behavior") {
            try fields.allow(
                "name", "sets-value", "updates", "comes-back", "locks", "re-engages", "re-engages-again", "values")
            var values: [Scenario.DatedValues] = []
            for dated in try fields.children("values") {
                try dated.allow("from", "lowest", "highest")
                let lowest = try dated.integer("lowest", in: 0...63)
                values.append(
                    .init(
                        from: try dated.integer("from", in: 1...3_650, else: 1), lowest: lowest,
                        highest: try dated.integer("highest", in: lowest...63)))
            }
            scenario.behaviors.append(
                .init(
                    name: try fields.text("name"), setsValue: try fields.number("sets-value", in: 0...1, else: 0.8),
                    updates: try fields.number("updates", in: 0...50, else: 2),
                    comesBack: try fields.number("comes-back", in: 0...1, else: 0.4),
                    locks: try fields.number("locks", in: 0...1, else: 0),
                    reengages: try fields.number("re-engages", in: 0...1, else: 0),
                    reengagesAgain: try fields.number("re-engages-again", in: 0...1, else: 0),
                    values: values.isEmpty ? [.init(from: 1, lowest: 0, highest: 63)] : values))
        }
    }

    private mutating func readCrowds() throws(DocumentProblem) {
        guard file.has("crowds") else {
            return
        }
        let fields = try file.child("crowds")
        try fields.allow("tier-1", "tier-2", "tier-3", "up-to-3.0", "country")
        let range = 0.0...1_000_000
        var crowds = CrowdThresholds()
        crowds.tierOne = try fields.number("tier-1", in: range, else: crowds.tierOne)
        crowds.tierTwo = try fields.number("tier-2", in: range, else: crowds.tierTwo)
        crowds.tierThree = try fields.number("tier-3", in: range, else: crowds.tierThree)
        crowds.single = try fields.number("up-to-3.0", in: range, else: crowds.single)
        crowds.country = try fields.number("country", in: range, else: crowds.country)
        scenario.crowds = crowds
    }

    private mutating func readFaults() throws(DocumentProblem) {
        let names = Fault.allCases.map(\.rawValue)
        for fields in try file.children("faults") {
            try fields.allow("fault", "share", "from", "through", "campaign")
            let index = try fields.index(of: try fields.text("fault"), in: names, "fault", kind: "the faults")
            var campaign: Int?
            if let name = try fields.optionalText("campaign") {
                campaign = try fields.index(
                    of: name, in: scenario.campaigns.map(\.name), "campaign", kind: "campaigns")
            }
            let from = try fields.integer("from", in: 1...3_650, else: 1)
            scenario.faults.append(
                FaultWave(
                    Fault.allCases[index], share: try fields.number("share", in: 0...1), from: from,
                    through: try fields.integer("through", in: from...Int.max, else: .max), campaign: campaign))
        }
    }

    private mutating func readOutages() throws(DocumentProblem) {
        for fields in try file.children("outages") {
            try fields.allow("from", "days")
            scenario.outages.append(
                .init(
                    from: try fields.integer("from", in: 1...3_650), days: try fields.number("days", in: 0...60)))
        }
    }

    private mutating func readCampaigns() throws(DocumentProblem) {
        for fields in try file.objects("campaigns") {
            let campaign = try CampaignReader(fields, scenario).campaign
            guard !scenario.campaigns.contains(where: { $0.name == campaign.name }) else {
                throw fields.problem(
                    "name", found: "\"\(campaign.name)\" again", expected: "a name of its own",
                    cure: "name the campaigns apart")
            }
            scenario.campaigns.append(campaign)
        }
    }
}

extension Scenario {
    /// Reads a scenario from a file.
    package init(file: [UInt8]) throws(DocumentProblem) {
        self = try ScenarioReader(file).result
    }
}
