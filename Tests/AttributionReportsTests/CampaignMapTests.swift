import Attribution
import AttributionReports
import AttributionStore
import Testing

@Suite("Names of campaigns")
struct CampaignMapTests {
    static let text = """
        {
          "version": 1,
          "apps": [{"id": 1, "name": "Puzzle"}],
          "source-apps": [{"id": 0, "name": "Our test app"}],
          "campaigns": [
            {"name": "Spring", "network": "N.skadnetwork", "app": 1, "source-identifier": "39", "from": "2026-03-01"},
            {"name": "US", "network": "n.skadnetwork", "app": 1, "source-identifier": "239", "from": "2026-03-01"},
            {"name": "video", "network": "n.skadnetwork", "app": 1, "source-identifier": "5239", "from": "2026-03-01"},
            {"name": "Left", "network": "n.skadnetwork", "app": 1, "source-identifier": "1177", "from": "2026-03-01"},
            {"name": "Right", "network": "n.skadnetwork", "app": 1, "source-identifier": "2177", "from": "2026-03-01"},
            {"name": "Winter", "network": "n.skadnetwork", "app": 1, "campaign-id": 12, "from": "2026-01-01",
             "to": "2026-01-31"},
            {"name": "Summer", "network": "n.skadnetwork", "app": 1, "campaign-id": 12, "from": "2026-06-01"}
          ]
        }
        """

    static func map(_ text: String = text) throws -> CampaignMap {
        try CampaignMap(documents: [("names.json", Array(text.utf8))])
    }

    static func days(_ first: String, _ last: String) throws -> ClosedRange<CalendarDay> {
        try #require(CalendarDay(first))...(try #require(CalendarDay(last)))
    }

    @Test(
        "Digits are named from the group of the last two on, and never guessed deeper",
        arguments: [
            ("39", "Spring", CampaignName.Mapping.named), ("239", "Spring / US", .named),
            ("5239", "Spring / US / video", .named), ("6239", "Spring / US", .group), ("1139", "Spring", .group),
            ("77", "Left or Right", .ambiguous), ("177", "Left or Right", .ambiguous), ("1177", "Left", .named),
            ("3177", "", .unmapped), ("40", "", .unmapped), ("0039", "Spring", .group),
        ])
    func digits(_ digits: String, _ text: String, _ mapping: CampaignName.Mapping) throws {
        let name = try Self.map().name(
            ofSourceIdentifier: try #require(SourceIdentifier(digits)), network: "n.skadnetwork", app: "1", days: nil)
        #expect(name.text == text && name.mapping == mapping)
    }

    @Test("Ids belong to an app of a network", arguments: [("other.skadnetwork", "1"), ("n.skadnetwork", "2")])
    func scope(_ network: String, _ app: String) throws {
        let identifier = try #require(SourceIdentifier("39"))
        let name = try Self.map().name(ofSourceIdentifier: identifier, network: network, app: app, days: nil)
        #expect(name.mapping == .unmapped && name.text.isEmpty)
    }

    /// 164 days after 2026-01-31 end on 2026-07-14, and postbacks of that last moment arrive until the next day.
    @Test(
        "An id that was given twice is ambiguous while postbacks of both may arrive",
        arguments: [
            ("2026-02-01", "2026-05-31", "Winter", CampaignName.Mapping.named),
            ("2026-07-15", "2026-07-31", "Winter or Summer", .ambiguous),
            ("2026-07-16", "2026-07-31", "Summer", .named), ("2025-12-01", "2025-12-31", "", .unmapped),
        ])
    func time(_ first: String, _ last: String, _ text: String, _ mapping: CampaignName.Mapping) throws {
        let name = try Self.map().name(
            ofCampaignID: "12", network: "N.SKADNETWORK", app: "1", days: Self.days(first, last))
        #expect(name.text == text && name.mapping == mapping)
    }

    @Test("Campaigns that share an id too closely are found, groups and their members are not")
    func conflicts() throws {
        let conflicts = try Self.map().conflicts
        #expect(conflicts.map(\.id) == ["campaign id 12"])
        #expect(conflicts.first?.first.name == "Winter" && conflicts.first?.lastArrival?.description == "2026-07-15")
        #expect(try Self.map(Self.text.replacing("2026-06-01", with: "2026-07-16")).conflicts.isEmpty)
    }

    static let mistakes = [
        (#""version": 1"#, #""version": 3"#, "version: found the number 3"),
        (#""app": 1, "source-identifier": "39""#, #""source-identifier": "39""#, "campaigns[0].app: found nothing"),
        (#""39""#, "39", "campaigns[0].source-identifier: found the number 39, expected two to four digits in quotes"),
        (#""39""#, #""5""#, #"campaigns[0].source-identifier: found the string "5""#),
        (
            #""campaign-id": 12, "from": "2026-01-01""#, #""campaign-id": 101, "from": "2026-01-01""#,
            "campaigns[5].campaign-id: found the number 101, expected a whole number from 1 to 100"
        ),
        (#""source-identifier": "39", "from""#, #""from""#, "campaigns[0].source-identifier: found nothing"),
        (#""to": "2026-01-31""#, #""to": "2025-01-31""#, "campaigns[5].to: found 2025-01-31, expected a day from"),
        (#""to": "2026-01-31""#, #""until": "2026-01-31""#, "campaigns[5].until: found the string"),
        (
            #"{"id": 1, "name": "Puzzle"}"#, #"{"id": 1, "name": "a"}, {"id": 1, "name": "b"}"#,
            #"apps[1].name: found "b", but "a" before, expected one name for each app"#
        ),
        (#""id": 0"#, #""id": -1"#, "source-apps[0].id: found the number -1, expected a whole number from 0 on"),
    ]

    @Test("A mistake is named with its path", arguments: mistakes)
    func mistake(_ text: String, _ replacement: String, _ problem: String) throws {
        let changed = Self.text.replacing(text, with: replacement)
        #expect(changed != Self.text)
        let invalid = try #require(throws: InvalidDocuments.self) { try Self.map(changed) }
        #expect(invalid.problems.count == 1)
        #expect(invalid.problems.first?.description.hasPrefix("names.json: " + problem) == true, "\(invalid)")
    }

    // MARK: Allocation

    static func allocation(
        _ kind: CampaignAllocation.Kind, from: String, to: String? = nil, app: Int64 = 1
    ) throws -> CampaignAllocation {
        CampaignAllocation(
            name: "new", network: try #require(AdNetworkID("n.skadnetwork")), app: AppStoreItemID(app),
            from: try #require(CalendarDay(from)), through: to.flatMap { CalendarDay($0) }, kind: kind)
    }

    @Test("Each allocation takes another group of two digits, until all hundred are taken")
    func groups() throws {
        var map = CampaignMap()
        var groups: Set<String> = []
        for _ in 0..<100 {
            let campaign = try Self.allocation(.sourceIdentifier, from: "2026-03-01", to: "2026-03-31").campaign(
                in: map)
            let identifier = try #require(campaign.sourceIdentifier)
            #expect(identifier.digits.utf8.count == 4)
            #expect(groups.insert(identifier.suffix(2) ?? "").inserted)
            map.add(campaign)
        }
        let refusal = try #require(throws: Refusal.self) {
            try Self.allocation(.sourceIdentifier, from: "2026-08-18").campaign(in: map)
        }
        // 2026-03-31, and 140 days more.
        #expect(refusal.code == .limitReached && refusal.hint?.hasPrefix("an id is free from 2026-08-20 on") == true)
        #expect(try Self.allocation(.sourceIdentifier, from: "2026-08-20").campaign(in: map).sourceIdentifier != nil)
        #expect(try Self.allocation(.sourceIdentifier, from: "2026-03-01", app: 2).campaign(in: map).app.value == 2)
    }

    @Test("A group that is asked for is used on purpose, each identifier once")
    func inGroup() throws {
        let group = try #require(SourceIdentifier("239"))
        let map = try Self.map()
        let first = try Self.allocation(.sourceIdentifierInGroup(group), from: "2026-03-01").campaign(in: map)
        #expect(first.sourceIdentifier?.digits == "1239")
        let next = try Self.allocation(.sourceIdentifierInGroup(group), from: "2026-03-01").campaign(
            in: Self.adding([first], to: map))
        #expect(next.sourceIdentifier?.digits == "2239")
    }

    @Test(
        "A campaign id is used again after its cooling-off",
        arguments: [("2026-07-15", Int64(2)), ("2026-07-16", 1)])
    func coolingOff(_ from: String, _ id: Int64) throws {
        let former = try Self.allocation(.campaignID, from: "2026-01-01", to: "2026-01-31")
        let map = try Self.adding([try former.campaign(in: CampaignMap())], to: CampaignMap())
        #expect(try Self.allocation(.campaignID, from: from).campaign(in: map).campaignID?.value == id)
    }

    private static func adding(_ campaigns: [NamedCampaign], to map: CampaignMap) throws -> CampaignMap {
        var map = map
        campaigns.forEach { map.add($0) }
        return map
    }

    @Test("A map is written as a file that reads the same")
    func writing() throws {
        let map = try Self.map()
        let bytes = try map.document(name: "a.json")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text.hasPrefix(
                """
                {
                  "version": 1,
                  "apps": [
                    {"id":1,"name":"Puzzle"}
                  ],
                  "source-apps": [
                    {"id":0,"name":"Our test app"}
                  ],
                  "campaigns": [
                    {"name":"Spring","network":"n.skadnetwork","app":1,"source-identifier":"39","from":"2026-03-01"},

                """))
        let again = try CampaignMap(documents: [("a.json", bytes)])
        #expect(again.campaigns == map.campaigns && again.apps == map.apps && again.sourceApps == map.sourceApps)
        #expect(try again.document(name: "a.json") == bytes)
    }

    @Test("A file that could not be read is not made")
    func unreadable() throws {
        var full = CampaignMap()
        let campaign = try Self.allocation(.campaignID, from: "2026-03-01").campaign(in: full)
        for _ in 0..<50_000 {
            full.add(campaign)
        }
        let refusal = #expect(throws: Refusal.self) { try full.document(name: "full.json") }
        #expect(refusal?.code == .limitReached && refusal?.message.hasPrefix("full.json would be longer") == true)
        var map = CampaignMap()
        map.add(
            NamedCampaign(
                name: "", network: try #require(AdNetworkID("n.skadnetwork")), app: AppStoreItemID(1), campaignID: nil,
                sourceIdentifier: nil, from: campaign.from, through: nil))
        #expect(throws: InvalidDocuments.self) { try map.document(name: "a.json") }
    }

    @Test(
        "An id never becomes free on a day that cannot be written",
        arguments: [
            ("2026-03-31", "2026-08-19"), ("9999-08-11", "9999-12-30"), ("9999-08-12", nil), ("9999-12-31", nil),
        ] as [(String, String?)])
    func endOfTime(_ to: String, _ lastArrival: String?) throws {
        let campaign = try Self.allocation(.sourceIdentifier, from: "2026-03-01", to: to).campaign(in: CampaignMap())
        #expect(campaign.lastArrival?.description == lastArrival)
        #expect(try campaign.state(on: #require(CalendarDay("9999-12-31"))) != (lastArrival == nil ? .over : .cooling))
    }
}

@Suite("Maps of many campaigns")
struct CampaignIndexTests {
    static func day(_ number: Int64) -> CalendarDay {
        CalendarDay(number: 20_000 + number)
    }

    static func document(_ campaigns: [String]) -> [UInt8] {
        Array(#"{"version": 1, "campaigns": [\#(campaigns.joined(separator: ",\n"))]}"#.utf8)
    }

    /// Twenty campaigns, one after the other, of each identifier of four digits of one app, without an end of a single
    /// one being too close to the next.
    static let many: [UInt8] = document(
        (0..<20_000).map { index in
            let from = Int64(index / 1_000) * 200
            return #"""
                {"name":"Campaign \#(index)","network":"n.skadnetwork","app": 1,\#
                "source-identifier": "\#(1_000 + index % 1_000)","from":"\#(day(from))","to":"\#(day(from + 30))"}
                """#
        })

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
    @Test("Many campaigns are read, compared and used in seconds", .timeLimit(.minutes(1)))
    func many() throws {
        let map = try CampaignMap(documents: [("names.json", Self.many)])
        #expect(map.campaigns.count == 20_000 && map.conflicts.isEmpty)
        let section = Self.section(rows: 100_000)
        let named = try section.named(by: map, days: nil, within: AnswerBudget(LedgerLimits()))
        #expect(named.rows.count == 100_000 && named.columns.count == 7)
        #expect(
            named.rows[900].cells[4].text
                == "Campaign 0 or Campaign 100 or Campaign 200 or Campaign 300 or 196 more")
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
