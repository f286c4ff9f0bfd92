package import Attribution
package import AttributionStore
import StrictJSON

/// What reports need to know besides the store, from files that people write.
package struct ReportReferences: Sendable {
    /// What conversion values mean.
    package var schemas: ConversionSchemas
    /// What campaigns and apps are called; nil without a file of names.
    package var campaigns: CampaignMap?

    /// Creates references; by default nothing is known.
    package init(schemas: ConversionSchemas = ConversionSchemas(), campaigns: CampaignMap? = nil) {
        self.schemas = schemas
        self.campaigns = campaigns
    }
}

package struct Reporter: Sendable {
    let ledger: any LedgerReading
    let programVersion: String?
    let references: ReportReferences

    package init(
        _ ledger: any LedgerReading,
        programVersion: String? = nil,
        references: ReportReferences = ReportReferences()
    ) {
        self.ledger = ledger
        self.programVersion = programVersion
        self.references = references
    }

    /// Answers a request for a free report.
    ///
    /// - Throws: Errors of the store, ``Attribution/FieldProblem`` for a position that is not valid in this store, and
    ///   ``AttributionStore/LedgerQuestionError`` for an answer that exceeds the limits.
    package func report(_ request: ReportRequest, limits: LedgerLimits = LedgerLimits()) async throws -> Report {
        let budget = AnswerBudget(limits)
        let answer = try await answer(request.question(limits: limits))
        let networkWarning = try await networkWarning(answer, request, within: budget)
        let builds = try await developmentBuilds(answer, request, within: budget)
        return Report(
            request: request, answer: answer, networkWarning: networkWarning, note: builds?.note(hasFilter: true),
            names: references.campaigns, programVersion: programVersion)
    }

    /// Answers a question; a position that is not valid in this store is a problem of the parameter that named it.
    func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        do {
            return try await ledger.answer(question)
        } catch LedgerQuestionError.foreignPosition(let position) {
            throw FieldProblem(
                field: "as-of", found: "\(position), a position of another store",
                expected: "one that an earlier report of this store names")
        } catch LedgerQuestionError.futurePosition(let position) {
            throw FieldProblem(
                field: "as-of", found: "\(position), which this store has not reached",
                expected: "one that an earlier report names; the store may be an older copy")
        } catch LedgerQuestionError.replacedPosition(let position) {
            throw FieldProblem(
                field: "as-of", found: "\(position), which this store no longer has",
                expected: "one that a report named after the store was restored from an older copy")
        }
    }

    /// What of yesterday's traffic (UTC) a person should look at, compared with the week before; worst first.
    ///
    /// - Throws: Errors of the store, and ``AttributionStore/LedgerQuestionError`` beyond the limits.
    package func findings(
        today: CalendarDay,
        traffic: Traffic = .apple,
        limits: LedgerLimits = LedgerLimits()
    ) async throws -> [TrafficFinding] {
        let yesterday = today.advanced(by: -1)
        let week = ReportRequest(
            dimensions: [.day, .app], from: yesterday.advanced(by: -TrafficFinding.week), through: yesterday,
            traffic: traffic)
        let day = ReportRequest(from: yesterday, through: yesterday)
        let rows = try await answer(week.question(limits: limits)).rows
        let deliveries = try await ledger.deliveries(received: day.received, inBackground: limits.isBackground)
        return try await newValues(from: yesterday.advanced(by: -TrafficFinding.week), traffic: traffic, limits: limits)
            + TrafficFinding.all(rows, deliveries, traffic, yesterday: yesterday)
    }

    /// The values that this release does not know, in postbacks received from a day on, or ever if it is nil, each with the
    /// first day it was seen.
    ///
    /// - Throws: Errors of the store, and ``AttributionStore/LedgerQuestionError`` beyond the limits.
    package func newValues(
        from first: CalendarDay? = nil,
        traffic: Traffic = .apple,
        limits: LedgerLimits = LedgerLimits()
    ) async throws -> [TrafficFinding] {
        let request = ReportRequest(dimensions: [.day] + ReportDimension.open, from: first, traffic: traffic)
        return TrafficFinding.newValues(try await answer(request.question(limits: limits)).rows)
    }
}

extension [LedgerAnswer] {
    /// A sentence for each kind of damage that these answers about the same postbacks met.
    var damage: [String] {
        let unreadable = map(\.unreadableCount).max() ?? 0
        let recomputed = map { $0.damaged.reduce(0) { $0 + Int64($1.count) } }.max() ?? 0
        return [
            unreadable == 0
                ? nil
                : "recorded postbacks that cannot be read and are not counted: \(unreadable); skan recount lists them",
            recomputed == 0
                ? nil
                : "the columns of \(recomputed) postbacks are damaged; these were counted without them, which is slower "
                    + "but gives the same figures",
        ].compactMap(\.self)
    }
}

extension LedgerAnswer {
    /// The values that no recorded postback has, as far as a limited request may know: other networks may have them.
    func unseen(by request: ReportRequest) -> [UnseenValue] {
        request.isLimitedToApps
            ? [] : request.isLimited ? unseen.filter { $0.dimension == .network } : unseen
    }
}
