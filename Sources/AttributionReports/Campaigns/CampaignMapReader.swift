import Attribution
import StrictJSON

/// Reads files of names into a map, and notes everything that is wrong with each.
struct CampaignMapReader {
    private(set) var map = CampaignMap()
    private var problems = DocumentProblems()

    mutating func read(_ file: [UInt8]) -> [DocumentProblem] {
        problems = DocumentProblems()
        let members = ["apps", "source-apps", "campaigns"]
        guard let fields = problems.document(file, "campaigns", members: members) else {
            return problems.all
        }
        for child in problems.attempt(try fields.children("apps")) ?? [] {
            readApp(child, \.apps, from: 1)
        }
        for child in problems.attempt(try fields.children("source-apps")) ?? [] {
            readApp(child, \.sourceApps, from: 0)
        }
        for child in problems.attempt(try fields.children("campaigns")) ?? [] {
            readCampaign(child)
        }
        return problems.all
    }

    private mutating func readApp(
        _ fields: DocumentFields,
        _ names: WritableKeyPath<CampaignMap, [AppStoreItemID: String]>,
        from least: Int
    ) {
        problems.note(fields.unknown(besides: ["id", "name"]))
        let number = problems.attempt(try fields.integer("id", in: least...Int.max))
        let name = problems.attempt(try fields.text("name"))
        guard let number, let name else {
            return
        }
        let id = AppStoreItemID(Int64(number))
        if let other = map[keyPath: names][id], other != name {
            problems.note(
                fields.problem(
                    "name", found: "\"\(name.shortened(to: 60))\", but \"\(other.shortened(to: 60))\" before",
                    expected: "one name for each app", cure: "remove one of them"))
        }
        map[keyPath: names][id] = name
    }

    private mutating func readCampaign(_ fields: DocumentFields) {
        let known = problems.all.count
        problems.note(
            fields.unknown(besides: ["name", "network", "app", "campaign-id", "source-identifier", "from", "to"]))
        let name = problems.attempt(try fields.text("name"))
        let network = problems.attempt(try Self.network(fields))
        let app = problems.attempt(try fields.integer("app", in: 1...Int.max))
        let campaignID = problems.attempt(try Self.campaignID(fields))
        let identifier = problems.attempt(try Self.sourceIdentifier(fields))
        let days = problems.days(fields)
        if !fields.has("campaign-id"), !fields.has("source-identifier") {
            problems.note(
                fields.problem(
                    "source-identifier", found: "nothing", expected: "it or campaign-id, or both",
                    cure: "skan campaigns allocate takes one that is free"))
        }
        guard problems.all.count == known, let name, let network, let app, let days else {
            return
        }
        map.add(
            NamedCampaign(
                name: name, network: network, app: AppStoreItemID(Int64(app)), campaignID: campaignID ?? nil,
                sourceIdentifier: identifier ?? nil, from: days.from, through: days.through))
    }

    private static func network(_ fields: DocumentFields) throws(DocumentProblem) -> AdNetworkID {
        let text = try fields.text("network")
        guard let network = AdNetworkID(text) else {
            throw fields.problem(
                "network", found: "\"\(text.shortened(to: 60))\"", expected: "the id of an ad network",
                cure: "write one such as \"example123.skadnetwork\"")
        }
        return network
    }

    private static func campaignID(_ fields: DocumentFields) throws(DocumentProblem) -> CampaignID? {
        guard fields.has("campaign-id") else {
            return nil
        }
        return CampaignID(Int64(try fields.integer("campaign-id", in: 1...100)))
    }

    private static func sourceIdentifier(_ fields: DocumentFields) throws(DocumentProblem) -> SourceIdentifier? {
        guard fields.has("source-identifier") else {
            return nil
        }
        guard let text = try? fields.optionalText("source-identifier"),
            let identifier = SourceIdentifier(written: text)
        else {
            throw fields.problem(
                "source-identifier", found: fields.summary("source-identifier"),
                expected: "two to four digits in quotes, as 05 is not 5",
                cure: "write four digits such as \"5239\", or the last two or three for a group")
        }
        return identifier
    }
}
