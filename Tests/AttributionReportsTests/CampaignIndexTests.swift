import Attribution
import AttributionReports
import AttributionStore
import CodedErrors
import Testing

@Suite("Maps of many campaigns")
struct CampaignIndexTests {
    // MARK: Against the plain definition

    /// A campaign as it is defined, without a map.
    struct Definition {
        let campaigns: [NamedCampaign]

        func name(_ id: String, isIdentifier: Bool, _ scope: (String, Int64), _ days: ClosedRange<CalendarDay>?)
            -> (names: [String], isSure: Bool)
        {
            let late = isIdentifier ? NamedCampaign.daysAfterSourceIdentifier : NamedCampaign.daysAfterCampaignID
            let possible = campaigns.filter { campaign in
                guard campaign.network == scope.0, campaign.app.value == scope.1 else {
                    return false
                }
                if let days {
                    let end = campaign.lastArrival(late) ?? days.lowerBound
                    guard campaign.from <= days.upperBound, end >= days.lowerBound else {
                        return false
                    }
                }
                guard isIdentifier else {
                    return campaign.campaignID.map { String($0.value) } == id
                }
                return campaign.sourceIdentifier.map { id.hasSuffix($0.digits) || $0.digits.hasSuffix(id) } ?? false
            }
            guard isIdentifier else {
                return (Self.unique(possible), Self.unique(possible).count == 1)
            }
            var path: [String] = []
            for count in 2...id.utf8.count {
                let names = Self.unique(possible.filter { $0.sourceIdentifier?.digits.utf8.count == count })
                if names.count > 1 {
                    return (names, false)
                }
                path += names
            }
            return path.isEmpty ? (Self.unique(possible), false) : ([path.joined(separator: " / ")], true)
        }

        var conflicts: [Conflict: Int] {
            var found: [Conflict: Int] = [:]
            for (index, one) in campaigns.enumerated() {
                for other in campaigns[..<index] where other.network == one.network && other.app == one.app {
                    let (first, second) = other.from <= one.from ? (other, one) : (one, other)
                    func note(_ id: String, _ late: Int64) {
                        let last = first.lastArrival(late)
                        if last.map({ second.from <= $0 }) ?? true {
                            found[Conflict(id: id, campaigns: [first, second], lastArrival: last), default: 0] += 1
                        }
                    }
                    if let id = one.campaignID, id == other.campaignID {
                        note("campaign id \(id.value)", NamedCampaign.daysAfterCampaignID)
                    }
                    if let id = one.sourceIdentifier, id == other.sourceIdentifier {
                        note("source identifier \(id)", NamedCampaign.daysAfterSourceIdentifier)
                    }
                }
            }
            return found
        }

        struct Conflict: Hashable {
            let id: String
            let campaigns: [NamedCampaign]
            let lastArrival: CalendarDay?
        }

        private static func unique(_ campaigns: [NamedCampaign]) -> [String] {
            campaigns.map(\.name).reduce(into: []) { names, name in
                if !names.contains(name) {
                    names.append(name)
                }
            }
        }
    }

    static let identifiers = ["39", "40", "239", "139", "240", "5239", "6239", "1139", "5240", "0040"]
    static let campaignIDs = ["1", "2", "3", "02", ""]

    static func day(_ number: Int64) -> CalendarDay {
        CalendarDay(number: 20_000 + number)
    }

    static func campaign(_ random: inout some RandomNumberGenerator) -> String {
        var members = [
            #""name": "\#("abcd".randomElement(using: &random) ?? "a")""#,
            #""network": "\#(["n.skadnetwork", "M.skadnetwork"].randomElement(using: &random) ?? "")""#,
            #""app": \#(Int64.random(in: 1...2, using: &random))"#,
        ]
        let kind = Int.random(in: 0..<3, using: &random)
        if kind != 0 {
            members.append(#""source-identifier": "\#(identifiers.randomElement(using: &random) ?? "39")""#)
        }
        if kind != 1 {
            members.append(#""campaign-id": \#(Int.random(in: 1...3, using: &random))"#)
        }
        let from = Int64.random(in: 0...500, using: &random)
        members.append(#""from": "\#(day(from))""#)
        if Bool.random(using: &random) {
            members.append(#""to": "\#(day(from + Int64.random(in: 0...60, using: &random)))""#)
        }
        return "{\(members.joined(separator: ", "))}"
    }

    static func document(_ campaigns: [String]) -> [UInt8] {
        Array(#"{"version": 1, "campaigns": [\#(campaigns.joined(separator: ",\n"))]}"#.utf8)
    }

    @Test("Names and conflicts are those of the plain definition", arguments: UInt64(0)..<60)
    func definition(_ seed: UInt64) throws {
        var random = CountingGenerator(state: seed)
        let texts = (0..<Int.random(in: 0...24, using: &random)).map { _ in Self.campaign(&random) }
        let half = texts.count / 2
        let map = try CampaignMap(documents: [
            ("a.json", Self.document(Array(texts[..<half]))), ("b.json", Self.document(Array(texts[half...]))),
        ])
        let definition = Definition(campaigns: map.campaigns)
        #expect(map.campaigns.count == texts.count)
        let start = Int64.random(in: -50...500, using: &random)
        let period = Self.day(start)...Self.day(start + Int64.random(in: 0...100, using: &random))
        for (network, app) in [("n.skadnetwork", Int64(1)), ("m.skadnetwork", 2), ("m.skadnetwork", 3)] {
            for days in [nil, period] {
                for text in Self.identifiers {
                    let name = map.name(
                        ofSourceIdentifier: try #require(SourceIdentifier(text)), network: network.uppercased(),
                        app: "\(app)", days: days)
                    Self.compare(name, definition.name(text, isIdentifier: true, (network, app), days))
                }
                for text in Self.campaignIDs {
                    let name = map.name(ofCampaignID: text, network: network, app: "\(app)", days: days)
                    Self.compare(name, definition.name(text, isIdentifier: false, (network, app), days))
                }
            }
        }
        let conflicts = map.conflicts
        let found = conflicts.map { conflict in
            Definition.Conflict(
                id: conflict.id, campaigns: [conflict.first, conflict.second], lastArrival: conflict.lastArrival)
        }
        #expect(Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +) == definition.conflicts)
        #expect(conflicts.map(\.second.from) == conflicts.map(\.second.from).sorted())
    }

    static func compare(_ name: CampaignName, _ expected: (names: [String], isSure: Bool)) {
        let isSure = name.mapping == .named || name.mapping == .group
        #expect(isSure == expected.isSure && (name.mapping == .unmapped) == expected.names.isEmpty)
        #expect(name.text == expected.names.joined(separator: " or "))
    }

    // MARK: Many campaigns

    /// Twenty campaigns, one after the other, of each identifier of four digits of one app, without an end of a single
    /// one being too close to the next; the second half have campaign ids instead, of many apps.
    static let many: [(name: String, bytes: [UInt8])] = {
        let texts = (0..<100_000).map { index in
            let (id, from) =
                index < 50_000
                ? (#""app": 1, "source-identifier": "\#(1_000 + index % 2_500)""#, Int64(index / 2_500) * 200)
                : (#""app": \#(index / 100), "campaign-id": \#(index % 100 + 1)"#, 0)
            return #"""
                {"name":"Campaign \#(index)","network":"n.skadnetwork",\#(id),"from":"\#(day(from))","to":"\#(day(from + 30))"}
                """#
        }
        return stride(from: 0, to: texts.count, by: 20_000).map { start in
            ("names-\(start).json", document(Array(texts[start..<(start + 20_000)])))
        }
    }()

    static let columns = [
        ReportColumn("network", "Network", .key, .signed, "", dimension: .network),
        ReportColumn("app", "App", .key, .signed, "", dimension: .app),
        ReportColumn("id", "ID", .key, .signed, "", dimension: .sourceIdentifier),
        ReportColumn("count", "Count", .count, .signed, ""),
    ]

    static func section(rows: Int) -> ReportSection {
        ReportSection(
            name: "s", title: "S", meaning: "", columns: columns,
            rows: (0..<rows).map { index in
                let identifier = String(index % 9_900 + 100)
                return ReportSectionRow([
                    .key(index % 2 == 0 ? "n.skadnetwork" : "m\(index % 5_000).skadnetwork"), .key("1"),
                    .key(index % 3 == 0 ? String(identifier.suffix(2)) : identifier), .count(1),
                ])
            })
    }

    /// A definition that compares every campaign with every other, or with every row, takes minutes.
    @Test("A hundred thousand campaigns are read, compared and used in seconds", .timeLimit(.minutes(1)))
    func many() throws {
        let documents = Self.many
        let section = Self.section(rows: 100_000)
        let start = ContinuousClock.now
        let map = try CampaignMap(documents: documents)
        #expect(map.campaigns.count == 100_000)
        #expect(map.conflicts.isEmpty)
        let named = try section.named(by: map, days: nil, within: AnswerBudget(LedgerLimits()))
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(named.rows.count == 100_000 && named.columns.count == 7)
        #expect(
            named.rows[900].cells[4].text
                == "Campaign 0 or Campaign 100 or Campaign 200 or Campaign 300 or 496 more")
        #expect(named.rows[900].cells[5].text == "ambiguous")
    }

    @Test("Names are looked up within the deadline of the report")
    func deadline() throws {
        let map = try CampaignMap(documents: [("a.json", Self.document([]))])
        let section = Self.section(rows: 1)
        let budget = AnswerBudget(LedgerLimits(deadline: .seconds(-1)))
        #expect(throws: LedgerQuestionError.deadlinePassed(.seconds(-1))) {
            try section.named(by: map, days: nil, within: budget)
        }
    }
}

/// Numbers that are the same on every run.
private struct CountingGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
