package import Attribution

/// Puts together an answer about costs from the rows of a store, within the limits of its question.
package struct AdCostsBuilder {
    /// What is known.
    package private(set) var costs = AdCosts()
    private let question: AdCostQuestion
    private let check: AnswerCheck
    private var rowCount = 0

    /// Begins an answer.
    package init(_ question: AdCostQuestion, _ check: AnswerCheck) {
        self.question = question
        self.check = check
    }

    /// Notes that something cannot be read.
    package mutating func markIncomplete() {
        costs.isIncomplete = true
    }

    /// Takes ads that were signed for a campaign.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - count: The plausible counts together; nil if there are none.
    ///   - hasOthers: Whether there are others, which are left out.
    /// - Throws: ``LedgerQuestionError``, and `CancellationError`.
    package mutating func addSigned(_ campaign: StoredCampaign, _ count: Int64?, hasOthers: Bool) throws {
        guard let signed = campaign.signed else {
            try check()
            markIncomplete()
            return
        }
        guard try takes(.init(network: signed.network, app: signed.app)) else {
            return
        }
        costs.isIncomplete = costs.isIncomplete || hasOthers
        if let count {
            costs.signed[signed, default: 0] += count
        }
    }

    /// Takes what a campaign cost in one currency.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - amount: The plausible amounts together; nil if there are none.
    ///   - currency: The currency.
    ///   - hasOthers: Whether there are others, which are left out.
    /// - Throws: ``LedgerQuestionError``, and `CancellationError`.
    package mutating func addSpend(
        _ campaign: StoredCampaign, _ amount: Money?, _ currency: String, hasOthers: Bool
    ) throws {
        guard let spent = campaign.spend, let currency = CurrencyCode(currency) else {
            try check()
            markIncomplete()
            return
        }
        guard try takes(.init(network: spent.network, app: spent.app)) else {
            return
        }
        costs.isIncomplete = costs.isIncomplete || hasOthers
        if let amount {
            costs.spend[spent, default: [:]][currency, default: .zero] += amount
        }
    }

    /// Takes a day on which something is known of an app.
    ///
    /// - Parameters:
    ///   - day: The day.
    ///   - app: The app.
    ///   - days: The days it belongs to.
    /// - Throws: ``LedgerQuestionError``, and `CancellationError`.
    package mutating func add(
        _ day: CalendarDay, of app: AdCosts.App, to days: WritableKeyPath<AdCosts, [AdCosts.App: Set<CalendarDay>]>
    ) throws {
        if try takes(app) {
            costs[keyPath: days][app, default: []].insert(day)
        }
    }

    /// Whether a row is wanted, for which there has to be room.
    private mutating func takes(_ app: AdCosts.App) throws -> Bool {
        try check()
        guard question.selects(app) else {
            return false
        }
        rowCount += 1
        guard rowCount <= question.limits.cells else {
            throw LedgerQuestionError.tooManyCosts(limit: question.limits.cells)
        }
        return true
    }
}
