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
        #expect(costs.signed == Self.sums(lines) && !costs.isIncomplete)
        try ledger.close()
    }

    @Test(
        "A sum that cannot have been counted stays as it is, and other lines are counted", arguments: LedgerFactory.all,
        [0, -5, Int64.max / 2, Int64.max])
    func damagedSum(_ factory: LedgerFactory, _ count: Int64) async throws {
        let ledger = try factory.open(store.path)
        _ = try ledger.writer.addSigned(Self.lines(1...3))
        try ledger.close()
        try factory.damage(store.path, "UPDATE signed_impressions SET count = \(count)")
        let next = try factory.open(store.path)
        #expect(try next.writer.addSigned(Self.lines(4...6) + [Self.line(12, day: 1)]) == 1)
        #expect(try next.writer.addSigned(Self.lines(1...6)) == 0)
        #expect(next.writer.health == .ready)
        let costs = try await next.reader.costs(Self.day...Self.day.next)
        #expect(try costs.isIncomplete && costs.signed == Self.sums([Self.line(12, day: 1)]))
        try next.close()
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
        #expect(all.signed.count == 3 && all.spend.count == 1 && !all.isIncomplete)
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
            SELECT \(Self.day.number), 'example123.skadnetwork', n, 12, '', 'USD', 1 FROM number
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
        #expect(try ledger.writer.addSigned(Self.lines(1...9), of: .test).new == 9)
        #expect(try ledger.writer.recordSpend([Self.spend("5")], of: .test, replaces: false).new == 1)
        #expect(try await costs(.real) == AdCosts())
        #expect(try ledger.writer.addSigned(Self.lines(4...6), of: .real).new == 3)
        #expect(try ledger.writer.addSigned(Self.lines(1...9), of: .test).new == 0)
        // Another amount contradicts none of the other ads.
        #expect(try ledger.writer.recordSpend([Self.spend("7")], of: .real, replaces: false).new == 1)
        let (real, test) = (try await costs(.real), try await costs(.test))
        #expect(real.signed == Self.sums(try Self.lines(4...6)))
        #expect(test.signed == Self.sums(try Self.lines(1...9)))
        #expect(real.spend.values.first?.values.first?.description == "7.00")
        #expect(test.spend.values.first?.values.first?.description == "5.00")
        try ledger.close()
    }

    // MARK: Other stores

    @Test(
        "A copy has what the source has of real and of test ads, and knows the lines in it",
        arguments: LedgerFactory.all)
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

    @Test(
        "What cannot have been counted or paid is left out, and the answer marked",
        arguments: [
            "UPDATE signed_impressions SET count = 0", "UPDATE signed_impressions SET count = 4611686018427387904",
            "UPDATE signed_impressions SET count = 9223372036854775807", "UPDATE spend SET micros = -5",
            "UPDATE spend SET micros = 9223372036854775807",
        ])
    func damaged(_ damage: String) async throws {
        let writer = try SQLiteLedgerWriter(path: store.path)
        _ = try writer.addSigned(Self.lines(1...9) + [Self.line(12, day: 1)])
        let spend = try [Self.spend("1"), Self.spend("2", day: 1)]
        _ = try writer.recordSpend(spend, replaces: false)
        try writer.close()
        try SQLite.execute("PRAGMA ignore_check_constraints = 1; \(damage) WHERE day = \(Self.day.number)", store.path)
        let reader = try SQLiteLedgerReader(store.path)
        let costs = try await reader.costs(Self.day...Self.day.next)
        #expect(costs.isIncomplete)
        if damage.contains("spend") {
            #expect(costs.spend == [spend[1].key.campaign: [spend[1].key.currency: spend[1].amount]])
            #expect(costs.signed == Self.sums(try Self.lines(1...9) + [Self.line(12, day: 1)]))
        } else {
            #expect(costs.signed == Self.sums([try Self.line(12, day: 1)]))
        }
        reader.close()
    }

    /// What the lines 3, 6, 9 and so on are counted for.
    private static func rowOfThirds() throws -> AdCostTable.Row {
        AdCostTable.Row(day: day.number, campaign: StoredCampaign(try line(3).campaign))
    }

    private static let damageOfThirds =
        "UPDATE signed_impressions SET count = -5 WHERE campaign_id = 12 AND source_identifier = ''"

    @Test(
        "Lines of a damaged sum are left out and named, and can be added when it is gone", arguments: LedgerFactory.all)
    func damagedSum(_ factory: LedgerFactory) async throws {
        let first = try factory.open(store.path)
        #expect(try first.writer.addSigned(Self.lines(1...3)) == 3)
        try first.close()
        try factory.damage(store.path, Self.damageOfThirds)
        let second = try factory.open(store.path)
        for new in [4, 0] {
            let recording = try second.writer.addSigned(Self.lines(1...9), of: .real)
            #expect(recording.new == new && recording.leftOut == 2)
            #expect(recording.damaged == [try Self.rowOfThirds()])
            #expect(recording.damaged.text == "\(Self.day) example123.skadnetwork app 525463029 campaign 12")
        }
        #expect(try await signed(second) == Self.sums(try [1, 2, 4, 5, 7, 8].map { try Self.line($0) }))
        try second.close()
        try factory.damage(store.path, "DELETE FROM signed_impressions WHERE count < 0")
        let third = try factory.open(store.path)
        #expect(try third.writer.addSigned(Self.lines(1...9)) == 2)
        #expect(try await signed(third) == Self.sums(try [1, 2, 4, 5, 6, 7, 8, 9].map { try Self.line($0) }))
        try third.close()
    }

    @Test("Ranges without others are what is left of them")
    func subtracting() {
        let all: [ClosedRange<Int64>] = [1...1, 3...3, 5...9, 12 ... .max, 2...6, 1...20, 1 ... .max]
        for left in all {
            for right in all {
                for more in all {
                    let (some, others) = (SequenceRanges([left, 30...40]), SequenceRanges([right, more]))
                    let found = some.subtracting(others)
                    let isOf = { (ranges: SequenceRanges, number: Int64) in
                        ranges.ranges.contains { $0.contains(number) }
                    }
                    let numbers = Array(Int64(0)...45) + [.max]
                    for number in numbers {
                        #expect(
                            isOf(found, number) == (isOf(some, number) && !isOf(others, number)),
                            "\(number) of \(some) without \(others)")
                    }
                    #expect(
                        some.overlaps(others) == numbers.contains { isOf(some, $0) && isOf(others, $0) },
                        "\(some) and \(others)")
                }
            }
        }
    }

    @Test("A file of an earlier release has no costs until an owner of this one opens it")
    func earlier() async throws {
        try SQLiteLedgerWriter(path: store.path).close()
        try SQLite.execute("DROP TABLE signed_impressions; DROP TABLE signed_sequences; DROP TABLE spend", store.path)
        let reader = try SQLiteLedgerReader(store.path)
        #expect(try await reader.costs(Self.day...Self.day) == AdCosts())
        #expect(try await reader.costTable().signed.isEmpty)
        let writer = try SQLiteLedgerWriter(path: store.path)
        #expect(try writer.addSigned(Self.lines(1...2)) == 2)
        #expect(try await reader.costs(Self.day...Self.day).signed == Self.sums(try Self.lines(1...2)))
        reader.close()
        try writer.close()
    }

    @Test("Numbers in any order become ranges that do not touch")
    func ranges() {
        var ranges = SequenceRanges([5...6, 9...9, 6...7])
        #expect(ranges.ranges == [5...7, 9...9])
        let inserted: [(Int64, Bool, [ClosedRange<Int64>])] = [
            (6, false, [5...7, 9...9]), (8, true, [5...9]), (3, true, [3...3, 5...9]), (4, true, [3...9]),
            (11, true, [3...9, 11...11]), (.max, true, [3...9, 11...11, .max ... .max]), (.max, false, []),
            (1, true, [1...1, 3...9, 11...11, .max ... .max]), (10, true, []), (9, false, []),
        ]
        for (number, isNew, expected) in inserted {
            #expect(ranges.insert(number) == isNew, "\(number)")
            #expect(expected.isEmpty || ranges.ranges == expected, "\(number)")
        }
        #expect(ranges.ranges == [1...1, 3...11, .max ... .max])
    }
}
