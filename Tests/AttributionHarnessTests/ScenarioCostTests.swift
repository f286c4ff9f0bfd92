import Attribution
import AttributionHarness
import Testing

@Suite("What the ads of a scenario cost")
struct ScenarioCostTests {
    private static let start = CalendarDay(number: 20_700)

    private static func costs(seed: UInt64 = 1, through end: Int64 = .max) throws -> ScenarioCosts {
        ScenarioCosts(World(try Scenario.demo(), start: start, seed: seed), through: end)
    }

    /// The beginning of a day of the scenario, from 0, in Unix milliseconds.
    private static func milliseconds(_ day: Int64) -> Int64 {
        (start.number + day) * 86_400_000
    }

    @Test("The same seed makes the same figures, and another one others")
    func determinism() throws {
        let (first, second) = (try Self.costs(), try Self.costs())
        #expect(first.signed == second.signed && first.spend == second.spend)
        #expect(try Self.costs(seed: 2).signed != first.signed)
        #expect(try Self.costs(seed: 2).signed.first?.writer != first.signed.first?.writer)
    }

    @Test("Every line is a new one of its writer on a day of the scenario, and is read as it is written")
    func lines() throws {
        let signed = try Self.costs().signed
        #expect(signed.map(\.sequence) == Array(1...Int64(signed.count)))
        #expect(Set(signed.map(\.day)) == Set((0..<60).map { Self.start.advanced(by: $0) }))
        for count in signed {
            #expect(try SignedImpressionCount(reading: Array(count.line.utf8)) == count)
        }
    }

    @Test("Each campaign, day and currency has one amount, to the cent, which is read as it is written")
    func spend() throws {
        let spend = try Self.costs().spend
        #expect(Set(spend.map(\.key)).count == spend.count)
        #expect(Set(spend.map(\.key.currency.text)) == ["USD", "EUR"])
        let rows = spend.csv.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        #expect(rows.count == spend.count + 1)
        for (row, spend) in zip(rows.dropFirst(), spend) {
            let fields = Dictionary(uniqueKeysWithValues: zip(rows[0].map(String.init), row.map(String.init)))
            #expect(try Spend(reading: fields, latest: Self.start.advanced(by: 59)) == spend)
            #expect(spend.amount.micros % 10_000 == 0)
        }
    }

    @Test("Ads cost what the scenario says, and Apple signs its own")
    func prices() throws {
        let costs = try Self.costs()
        let ads = costs.signed.filter { $0.campaign.campaignID == CampaignID(12) }
        let paid = costs.spend.filter { $0.key.campaign.campaignID == CampaignID(12) }
        let count = ads.reduce(0) { $0 + $1.signed }
        let amount = paid.reduce(Money.zero) { $0 + $1.amount }
        let perThousand = try #require(amount.divided(by: count, times: 1_000))
        #expect((Money(micros: 6_200_000)...Money(micros: 6_600_000)).contains(perThousand))
        #expect(ads.allSatisfy { $0.campaign.sourceIdentifier?.value == 5_239 })
        #expect(costs.spend.contains { $0.key.campaign.network == "com.apple.ads" })
        #expect(!costs.signed.contains { $0.campaign.network == "com.apple.ads" })
        // AdAttributionKit has no campaign ids.
        let newer = costs.signed.filter { $0.campaign.network == "example123.adattributionkit" }
        #expect(!newer.isEmpty && newer.allSatisfy { $0.campaign.campaignID == nil })
    }

    @Test("Of the last day as much is known as has passed of it, and earlier days are what they are")
    func end() throws {
        let all = try Self.costs()
        let noon = try Self.costs(through: Self.milliseconds(3) + 43_200_000)
        func counts(_ costs: ScenarioCosts, day: Int64) -> [Int64] {
            costs.signed.filter { $0.day == Self.start.advanced(by: day) }.map(\.signed)
        }
        for day in Int64(0)..<3 {
            #expect(counts(noon, day: day) == counts(all, day: day))
        }
        #expect(counts(noon, day: 4).isEmpty && noon.spend.allSatisfy { $0.key.day <= Self.start.advanced(by: 3) })
        let (half, whole) = (counts(noon, day: 3).reduce(0, +), counts(all, day: 3).reduce(0, +))
        #expect((0.4...0.6).contains(Double(half) / Double(whole)))
        #expect(noon.signed.allSatisfy { $0.seconds.upperBound * 1_000 <= Self.milliseconds(3) + 43_200_000 })
        #expect(try Self.costs(through: Self.milliseconds(0)).signed.isEmpty)
    }

    @Test("A scenario that says no prices has no figures")
    func none() throws {
        let costs = ScenarioCosts(World(try Scenario.plain(days: 3), start: Self.start, seed: 1))
        #expect(costs.signed.isEmpty && costs.spend.isEmpty)
    }
}
