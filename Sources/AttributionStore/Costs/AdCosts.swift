package import Attribution

/// Whether ads are real or those of a test; no sum has both in it.
package enum AdTraffic: String, CaseIterable, Hashable, Sendable {
    /// Ads shown to people, whose postbacks Apple signs.
    case real
    /// Ads of a test, whose postbacks a test key signs.
    case test

    /// The ads of some postbacks; nil if nothing else is ever known of such ads.
    package init?(_ traffic: Traffic) {
        switch traffic {
        case .apple: self = .real
        case .test: self = .test
        case .foreign, .development: return nil
        }
    }
}

/// What to find out about ads besides their postbacks: how many were signed, and what they cost.
package struct AdCostQuestion: Sendable {
    /// The days of UTC.
    package var days: ClosedRange<CalendarDay>
    /// Which ads.
    package var ads: AdTraffic
    /// The conditions, all of which must hold; nothing meets those on other dimensions than networks and apps.
    package var conditions: [LedgerQuestion.Condition]
    /// The limits on the cost of the answer, in which each campaign, and each day of an app, is a cell.
    package var limits: LedgerLimits

    package init(
        days: ClosedRange<CalendarDay>,
        ads: AdTraffic = .real,
        conditions: [LedgerQuestion.Condition] = [],
        limits: LedgerLimits = LedgerLimits()
    ) {
        self.days = days
        self.ads = ads
        self.conditions = conditions
        self.limits = limits
    }

    /// Whether the ads of an app are wanted.
    package func selects(_ app: AdCosts.App) -> Bool {
        conditions.allSatisfy { condition in
            switch condition.dimension {
            case .network: condition.values.contains { $0.lowercasedASCII == app.network } != condition.isExcluded
            case .app: condition.values.contains(app.app.description) != condition.isExcluded
            default: false
            }
        }
    }
}

/// What is known of the ads of some days besides their postbacks: how many were signed, and what they cost.
///
/// What has no entry is not known, which is not 0.
package struct AdCosts: Hashable, Sendable {
    /// An app that a network advertises.
    package struct App: Hashable, Sendable {
        package let network: String
        package let app: AppStoreItemID

        package init(network: String, app: AppStoreItemID) {
            self.network = network
            self.app = app
        }
    }

    /// How many ads were signed for each campaign.
    package var signed: [SignedCampaign: Int64] = [:]
    /// The days on which ads of each app were signed.
    package var signedDays: [App: Set<CalendarDay>] = [:]
    /// What campaigns cost, in each currency.
    package var spend: [SpendCampaign: [CurrencyCode: Money]] = [:]
    /// The days with spend for each app.
    package var spendDays: [App: Set<CalendarDay>] = [:]

    /// Without anything known.
    package init() {}
}

/// Puts together an answer about costs from the rows of a store, within the limits of its question.
package struct AdCostsBuilder {
    /// What is known.
    package private(set) var costs = AdCosts()
    private let question: AdCostQuestion
    private let check: AnswerCheck
    private var cells = 0

    package init(_ question: AdCostQuestion, _ check: AnswerCheck) {
        self.question = question
        self.check = check
    }

    /// Adds ads that were signed for a campaign on a day.
    package mutating func addSigned(_ count: Int64, _ campaign: SignedCampaign, on day: CalendarDay) throws {
        try check()
        let app = AdCosts.App(network: campaign.network, app: campaign.app)
        guard question.selects(app) else {
            return
        }
        try takeCell(if: costs.signed[campaign] == nil)
        costs.signed[campaign, default: 0] += count
        try takeCell(if: costs.signedDays[app, default: []].insert(day).inserted)
    }

    /// Adds what a campaign cost on a day.
    package mutating func add(_ spend: Spend) throws {
        try check()
        let campaign = spend.key.campaign
        let app = AdCosts.App(network: campaign.network, app: campaign.app)
        guard question.selects(app) else {
            return
        }
        try takeCell(if: costs.spend[campaign]?[spend.key.currency] == nil)
        costs.spend[campaign, default: [:]][spend.key.currency, default: .zero] += spend.amount
        try takeCell(if: costs.spendDays[app, default: []].insert(spend.key.day).inserted)
    }

    private mutating func takeCell(if isNew: Bool) throws {
        cells += isNew ? 1 : 0
        guard cells <= question.limits.cells else {
            throw LedgerQuestionError.tooManyCosts(limit: question.limits.cells)
        }
    }
}
