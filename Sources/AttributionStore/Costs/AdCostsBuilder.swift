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
        let signed = campaign.signed
        let app = signed.map { AdCosts.App(network: $0.network, app: $0.app) }
        guard try takes(app, hasOthers: hasOthers), let signed, let count else {
            return
        }
        costs.signed[signed, default: 0] += count
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
        let currency = CurrencyCode(currency)
        let spent = currency == nil ? nil : campaign.spend
        let app = spent.map { AdCosts.App(network: $0.network, app: $0.app) }
        guard try takes(app, hasOthers: hasOthers), let spent, let currency, let amount else {
            return
        }
        costs.spend[spent, default: [:]][currency, default: .zero] += amount
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
    ///
    /// One that cannot be read is noted, and so is one that is wanted and has others like it that are left out.
    private mutating func takes(_ app: AdCosts.App?, hasOthers: Bool = false) throws -> Bool {
        try check()
        guard let app else {
            markIncomplete()
            return false
        }
        guard question.selects(app) else {
            return false
        }
        rowCount += 1
        guard rowCount <= question.limits.cells else {
            throw LedgerQuestionError.tooManyCosts(limit: question.limits.cells)
        }
        costs.isIncomplete = costs.isIncomplete || hasOthers
        return true
    }
}
