import Attribution
import AttributionStore
import SQLiteStore
import TestSupport
import Testing

@Suite("Signed impressions and spend, in every store", .serialized)
struct AdCostConformanceTests {
    let store: TemporaryStore

    init() throws {
        store = try TemporaryStore()
    }

    private static let day = CalendarDay(number: 20_778)
    private static let writer = Nonce("68483ef6-0678-40df-859b-1b8f3f2d7b21")
    private static let app = AdCosts.App(network: "example123.skadnetwork", app: AppStoreItemID(525_463_029))
    private static let other = Nonce("a0c1b6a2-0678-40df-859b-1b8f3f2d7b22")

    /// A line of a day, of one campaign in three.
    private static func line(
        _ sequence: Int64, by writer: Nonce? = writer, day: Int64 = 0, signed: Int64? = nil
    ) throws -> SignedImpressionCount {
        let start = (Self.day.number + day) * 86_400 + sequence
        let campaign = SignedCampaign(
            network: try #require(AdNetworkID("Example123.skadnetwork")), app: AppStoreItemID(525_463_029),
            campaignID: sequence % 3 == 1 ? nil : CampaignID(12),
            sourceIdentifier: sequence % 3 == 0 ? nil : ImpressionSourceIdentifier(0))
        return SignedImpressionCount(
            campaign: campaign, writer: try #require(writer), sequence: sequence, seconds: start..<start + 1,
            signed: signed ?? sequence)
    }

    private static func lines(_ numbers: ClosedRange<Int64>) throws -> [SignedImpressionCount] {
        try numbers.map { try line($0) }
    }

    /// What was signed for each campaign, counted line by line.
    private static func sums(_ lines: [SignedImpressionCount]) -> [SignedCampaign: Int64] {
        lines.reduce(into: [:]) { $0[$1.campaign, default: 0] += $1.signed }
    }

    private func signed(
        _ ledger: AnyLedger, _ days: ClosedRange<CalendarDay> = day...day
    ) async throws -> [SignedCampaign: Int64] {
        try await ledger.reader.costs(days).signed
    }

    @Test(
        "Every line counts once, in whatever parts and order its file comes, also for the next owner",
        arguments: LedgerFactory.all)
    func once(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        #expect(try ledger.writer.addSigned([]) == 0)
        #expect(try ledger.writer.addSigned(Self.lines(40...60)) == 21)
        #expect(try ledger.writer.addSigned(Self.lines(40...60)) == 0)
        // A copy of the file that overlaps, with lines twice.
        #expect(try ledger.writer.addSigned(Self.lines(50...80) + Self.lines(70...90)) == 30)
        #expect(try ledger.writer.addSigned(Self.lines(1...20)) == 20)
        #expect(try ledger.writer.addSigned([Self.line(30)]) == 1)
        #expect(try await signed(ledger) == Self.sums(try Self.lines(1...20) + Self.lines(40...90) + [Self.line(30)]))
        try ledger.close()
        let next = try factory.open(store.path)
        #expect(try next.writer.addSigned(Self.lines(1...100).reversed()) == 28)
        #expect(try next.writer.addSigned([Self.line(1, by: Self.other)]) == 1)
        #expect(
            try await signed(next) == Self.sums(try Self.lines(1...100) + [Self.line(1, by: Self.other)]))
        #expect(try await next.reader.costs(Self.day...Self.day).signedDays == [Self.app: [Self.day]])
        try next.close()
    }

    @Test(
        "Of lines with one writer and number the greatest counts, in whatever order they come",
        arguments: LedgerFactory.all)
    func growing(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let lines = try [3, 8, 5].map { try Self.line(1, signed: $0) }
        #expect(try ledger.writer.addSigned(lines + [Self.line(2)]) == 3)
        #expect(try ledger.writer.addSigned([lines[2], lines[0]]) == 0)
        #expect(try await signed(ledger) == Self.sums([lines[1], try Self.line(2)]))
        #expect(try ledger.writer.addSigned([Self.line(1, signed: 9)]) == 1)
        #expect(try await signed(ledger) == Self.sums(try [Self.line(1, signed: 9), Self.line(2)]))
        try ledger.close()
    }

    @Test("Lines are counted by their day", arguments: LedgerFactory.all)
    func days(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let lines = try (0..<5).map { try Self.line($0 * 3 + 3, day: $0 * 2) }
        #expect(try ledger.writer.addSigned(lines) == 5)
        let days = Self.day...Self.day.advanced(by: 4)
        #expect(try await signed(ledger, days) == Self.sums(Array(lines.prefix(3))))
        #expect(
            try await ledger.reader.costs(days).signedDays
                == [Self.app: [days.lowerBound, Self.day.advanced(by: 2), days.upperBound]])
        let none = try await ledger.reader.costs(Self.day.advanced(by: -9)...Self.day.advanced(by: -1))
        #expect(none == AdCosts())
        try ledger.close()
    }

    @Test("Lines whose transaction failed were not counted, and count later", arguments: LedgerFactory.all)
    func failed(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        #expect(throws: StoreError.self) {
            try ledger.writer.addSigned(Self.lines(1...9) + [Self.line(10, day: 1, signed: -1)])
        }
        // It says nothing about postbacks.
        #expect(ledger.writer.health == .ready)
        #expect(try await signed(ledger) == [:])
        #expect(try ledger.writer.addSigned(Self.lines(1...10)) == 10)
        #expect(try await signed(ledger) == Self.sums(try Self.lines(1...10)))
        try ledger.close()
    }

    @Test("The largest lines that are read make sums that can be read", arguments: LedgerFactory.all)
    func largest(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let lines = try (1...300).map { try Self.line($0 * 3, signed: SignedImpressionCount.mostSigned) }
        #expect(try ledger.writer.addSigned(lines) == 300)
        let costs = try await ledger.reader.costs(Self.day...Self.day)
        #expect(costs.signed == Self.sums(lines))
        try ledger.close()
    }

    @Test("Two that import one file at once count its lines once", arguments: LedgerFactory.all)
    func atOnce(_ factory: LedgerFactory) async throws {
        let first = try factory.open(store.path)
        // A file has one owner; a database has any number.
        let second = factory.testDescription == "SQLite" ? first.writer : try factory.open(store.path).writer
        let new = try await withThrowingTaskGroup(of: Int.self) { group in
            for part in 0..<20 {
                let lines = try Self.lines(Int64(part / 2) * 10 + 1...Int64(part / 2) * 10 + 15)
                let writer = part.isMultiple(of: 2) ? first.writer : second
                group.addTask { try writer.addSigned(lines) }
            }
            return try await group.reduce(0, +)
        }
        #expect(new == 105)
        #expect(try await signed(first) == Self.sums(try Self.lines(1...105)))
        if factory.testDescription != "SQLite" {
            try second.close()
        }
        try first.close()
    }

    // MARK: Spend

    private static func spend(
        _ amount: String, _ campaign: (id: Int64?, source: String?) = (12, nil), _ currency: String = "USD",
        day: Int64 = 0
    ) throws -> Spend {
        Spend(
            key: .init(
                day: Self.day.advanced(by: day),
                campaign: SpendCampaign(
                    network: try #require(AdNetworkID("example123.skadnetwork")), app: AppStoreItemID(525_463_029),
                    campaignID: campaign.id.flatMap { CampaignID($0) },
                    sourceIdentifier: campaign.source.flatMap { SourceIdentifier($0) }),
                currency: try #require(CurrencyCode(currency))),
            amount: try #require(Money(amount)))
    }

    @Test("Spend is stated once, and another amount replaces it only when asked to", arguments: LedgerFactory.all)
    func spend(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let first = [
            try Self.spend("12.34"), try Self.spend("5", (nil, "39")), try Self.spend("0", (12, "0039")),
            try Self.spend("7.00001", (12, nil), "EUR"), try Self.spend("1.5", day: 1),
        ]
        #expect(try ledger.writer.recordSpend(first, replaces: false).new == 5)
        #expect(try ledger.writer.recordSpend(first, replaces: false).known == 5)
        let days = Self.day...Self.day.next
        func amounts() async throws -> [SpendCampaign: [String: String]] {
            try await ledger.reader.costs(days).spend.mapValues { amounts in
                Dictionary(uniqueKeysWithValues: amounts.map { ($0.key.text, $0.value.description) })
            }
        }
        let before = try await amounts()
        #expect(
            before == [
                first[0].key.campaign: ["USD": "13.84", "EUR": "7.00001"], first[1].key.campaign: ["USD": "5.00"],
                first[2].key.campaign: ["USD": "0.00"],
            ])
        // All or nothing.
        let changed = [try Self.spend("9", (50, nil)), try Self.spend("12.35"), first[1]]
        let refused = try ledger.writer.recordSpend(changed, replaces: false)
        #expect(refused.conflicts.map(\.index) == [1] && refused.conflicts.map(\.amount.description) == ["12.34"])
        #expect(refused.new == 0)
        #expect(try await amounts() == before)
        let replaced = try ledger.writer.recordSpend(changed, replaces: true)
        #expect((replaced.new, replaced.replaced, replaced.known) == (1, 1, 1))
        #expect(try await amounts()[first[0].key.campaign] == ["USD": "13.85", "EUR": "7.00001"])
        #expect(try await ledger.reader.costs(days).spendDays == [Self.app: [Self.day, Self.day.next]])
        #expect(try await ledger.reader.costs(Self.day.next...Self.day.next).spend.count == 1)
        // One file with two amounts says nothing, whatever it replaces.
        let both = [try Self.spend("1", (51, nil)), try Self.spend("2", (51, nil))]
        #expect(try ledger.writer.recordSpend(both, replaces: true).conflicts.map(\.index) == [1])
        try ledger.close()
    }

    @Test("Sums of spend that do not fit are marked, not wrong", arguments: LedgerFactory.all)
    func large(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let spend = try (0..<20).map { try Self.spend("999999999999.99999", day: $0) }
        #expect(try ledger.writer.recordSpend(spend, replaces: false).new == 20)
        func amount(_ days: Int64) async throws -> String? {
            try await ledger.reader.costs(Self.day...Self.day.advanced(by: days - 1)).spend.values.first?.values.first?
                .description
        }
        #expect(try await amount(9) == "8999999999999.99991")
        #expect(try await amount(20)?.hasPrefix(">") == true)
        try ledger.close()
    }

    // MARK: Limits

    @Test("Too many rows, too much time, and cancellation stop an answer", arguments: LedgerFactory.all)
    func limits(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        // Three campaigns on two days, and one of them with two currencies: 3 rows of ads, 2 of spend, and 2 + 1 days.
        _ = try ledger.writer.addSigned(Self.lines(1...9) + [Self.line(10, day: 1)])
        _ = try ledger.writer.recordSpend([Self.spend("1"), Self.spend("2", (12, nil), "EUR")], replaces: false)
        let days = Self.day...Self.day.next
        let all = try await ledger.reader.costs(AdCostQuestion(days: days, limits: LedgerLimits(cells: 8)))
        #expect(all.signed.count == 3 && all.spend.count == 1)
        for cells in [0, 2, 4, 7] {
            await #expect(throws: LedgerQuestionError.tooManyCosts(limit: cells)) {
                try await ledger.reader.costs(AdCostQuestion(days: days, limits: LedgerLimits(cells: cells)))
            }
        }
        let text = LedgerQuestionError.tooManyCosts(limit: 7).description
        #expect(text.contains("--from") && !text.contains("dimensions"))
        // What a condition leaves out needs no room.
        let other = LedgerQuestion.Condition(dimension: .app, values: ["1"])
        let none = AdCostQuestion(days: days, conditions: [other], limits: LedgerLimits(cells: 0))
        #expect(try await ledger.reader.costs(none) == AdCosts())
        for isBackground in [false, true] {
            for deadline in [Duration.zero, .seconds(-1)] {
                let limits = LedgerLimits(deadline: deadline, isBackground: isBackground)
                await #expect(throws: LedgerQuestionError.deadlinePassed(deadline)) {
                    try await ledger.reader.costs(AdCostQuestion(days: days, limits: limits))
                }
            }
            let reader = ledger.reader
            let task = Task {
                while !Task.isCancelled {
                    await Task.yield()
                }
                return try await reader.costs(
                    AdCostQuestion(days: days, limits: LedgerLimits(isBackground: isBackground)))
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        // Whoever asks next is not ended.
        #expect(try await ledger.reader.costs(days) == all)
        try ledger.close()
    }

    @Test("An answer that takes longer than the deadline is ended, also one that finds nothing")
    func deadline() async throws {
        try SQLiteLedgerWriter(path: store.path).close()
        try SQLite.execute(
            """
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
            INSERT INTO spend
            SELECT 'real', \(Self.day.number), 'example123.skadnetwork', n, 12, '', 'USD', 1 FROM number
            """, store.path)
        let reader = try SQLiteLedgerReader(store.path)
        let deadline = Duration.milliseconds(5)
        let question = AdCostQuestion(
            days: Self.day...Self.day, conditions: [.init(dimension: .app, values: ["0"])],
            limits: LedgerLimits(deadline: deadline))
        await #expect(throws: LedgerQuestionError.deadlinePassed(deadline)) { try await reader.costs(question) }
        reader.close()
    }

    // MARK: Test ads

    @Test("Figures of test ads and of real ones are never added, whichever come first", arguments: LedgerFactory.all)
    func testAds(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        func costs(_ ads: AdTraffic) async throws -> AdCosts {
            try await ledger.reader.costs(AdCostQuestion(days: Self.day...Self.day, ads: ads))
        }
        #expect(try ledger.writer.addSigned(Self.lines(1...9), of: .test) == 9)
        #expect(try ledger.writer.recordSpend([Self.spend("5")], of: .test, replaces: false).new == 1)
        #expect(try await costs(.real) == AdCosts())
        #expect(try ledger.writer.addSigned(Self.lines(4...6), of: .real) == 3)
        #expect(try ledger.writer.addSigned(Self.lines(1...9), of: .test) == 0)
        // Another amount contradicts none of the other ads.
        #expect(try ledger.writer.recordSpend([Self.spend("7")], of: .real, replaces: false).new == 1)
        let (real, test) = (try await costs(.real), try await costs(.test))
        #expect(real.signed == Self.sums(try Self.lines(4...6)))
        #expect(test.signed == Self.sums(try Self.lines(1...9)))
        #expect(real.spend.values.first?.values.first?.description == "7.00")
        #expect(test.spend.values.first?.values.first?.description == "5.00")
        try ledger.close()
    }

    @Test(
        "A copy has the source's figures of real and of test ads, and knows their lines", arguments: LedgerFactory.all)
    func copies(_ factory: LedgerFactory) async throws {
        let source = try OpenLedger(store.path)
        let target = try factory.openTarget(store.path + "-copy")
        _ = try source.writer.addSigned(Self.lines(1...20), of: .test)
        _ = try source.writer.addSigned(Self.lines(1...3))
        _ = try source.writer.recordSpend([try Self.spend("12.34")], of: .test, replaces: false)
        try await target.copy(source.reader, Postbacks())
        for ads in AdTraffic.allCases {
            let question = AdCostQuestion(days: Self.day...Self.day, ads: ads)
            #expect(try await target.reader.costs(question) == source.reader.costs(question))
        }
        #expect(try target.writer.addSigned([Self.line(1), Self.line(7)]) == 1)
        try source.close()
        target.reader.close()
        try target.writer.close()
    }
}
