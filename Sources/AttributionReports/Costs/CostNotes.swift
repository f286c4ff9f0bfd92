import Attribution
import AttributionStore

/// What a reader of costs has to know.
struct CostNotes {
    private let request: StandardReportRequest
    private let costs: AdCosts

    init(_ figures: StandardReportFigures) {
        request = figures.request
        costs = figures.costs?.current ?? AdCosts()
    }

    /// For impressions.
    var impressions: [String] {
        guard let ads = AdTraffic(request.selection.traffic) else {
            return [Self.otherTraffic]
        }
        let cure =
            ads == .real
            ? "skan import --impressions, or a server that signs, adds them"
            : "skan import --test-ads --impressions adds them"
        return [
            known("Impressions signed", costs.signedDays, cure),
            "Impressions and spend are by the day (UTC) of the ad, installs by that of their postback, days to weeks "
                + "later: the rates of a short period are of different ads.",
            "Source identifiers are counted by their last two digits; longer ones cannot be told apart in all postbacks.",
        ] + ofTests(ads)
    }

    /// For spend.
    var spend: [String] {
        guard let ads = AdTraffic(request.selection.traffic) else {
            return [Self.otherTraffic]
        }
        let cure = ads == .real ? "skan import --spend adds it" : "skan import --test-ads --spend adds it"
        return [known("Spend", costs.spendDays, cure)] + ofTests(ads)
    }

    private static let otherTraffic =
        "Impressions signed and spend are those of real ads and of test ads, and are not compared with these postbacks."

    private func ofTests(_ ads: AdTraffic) -> [String] {
        ads == .test ? ["These are figures of test ads, which those of real ads never include."] : []
    }

    /// For which days something is known.
    private func known(_ what: String, _ days: [AdCosts.App: Set<CalendarDay>], _ cure: String) -> String {
        let days = days.values.reduce(into: Set<CalendarDay>()) { $0.formUnion($1) }
        guard let first = days.min(), let last = days.max() else {
            return "\(what): none is known for these days; \(cure)."
        }
        let whole = last.number - first.number + 1
        let gaps = Int64(days.count) == whole ? "" : ", with \(whole - Int64(days.count)) days in between without any"
        return "\(what): known from \(first) to \(last)\(gaps)."
    }
}
