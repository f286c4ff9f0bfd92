import Attribution
package import AttributionStore
import Foundation

extension Reporter {
    /// Answers a request for a standard report; all of its questions are answered as of the same position.
    ///
    /// - Throws: Errors of the store, ``Attribution/FieldProblem`` for a position that is not valid in this store, and
    ///   ``AttributionStore/LedgerQuestionError`` for answers that exceed the limits.
    package func report(
        _ request: StandardReportRequest,
        limits: LedgerLimits = LedgerLimits(),
        isRecording: Bool? = nil
    ) async throws -> StandardReport {
        let plan = StandardReportPlan(request.name, references, by: request.by)
        var counted = request
        if request.sort != nil {
            // The rows to show are those that come first in the order that is asked for.
            counted.selection.top = nil
        }
        let budget = AnswerBudget(limits)
        var history = request.selection
        history.from = nil
        // The sequence index is one of the traits, so that it costs no further cells.
        history.dimensions = [.day, .sequenceIndex]
        let days = try await budget.spend { try await answer(history.question(limits: $0)) }
        let byDay = DayCounts(days.rows)
        let firstDay = byDay.all.keys.min()
        var breakdowns: [LedgerAnswer] = []
        for breakdown in plan.breakdowns {
            breakdowns.append(
                try await budget.spend { limits in
                    var question = request.question(breakdown, limits: limits)
                    question.asOf = days.position
                    return try await answer(question)
                })
        }
        let hasDeliveries = plan.hasDeliveries && request.selection.conditions.isEmpty
        let deliveries = hasDeliveries ? try await self.deliveries(request, inBackground: limits.isBackground) : nil
        let figures = StandardReportFigures(
            request: counted, days: byDay.all, daysOfWindows: byDay.ofWindows,
            breakdowns: breakdowns.map { BreakdownRows($0.rows, isSplit: request.previous != nil) },
            deliveries: deliveries, costs: plan.hasCosts ? try await costs(request, within: budget) : nil,
            recordedAtMilliseconds: days.recordedAtMilliseconds,
            isRecording: request.selection.isLimitedToApps ? nil : isRecording)
        let answers = [days] + breakdowns
        var sections = plan.sections(figures).filter { request.section == nil || request.section == $0.name }
        if !request.isComparable(since: firstDay) {
            // What was before the first postback is not known; it is not 0.
            sections = sections.map(\.withUnknownPrevious)
        }
        if var campaigns = references.campaigns {
            if request.selection.isLimitedToApps {
                // Rows name other apps only as sources.
                campaigns.sourceApps = [:]
            }
            sections = try sections.map { try $0.named(by: campaigns, days: request.namedDays, within: budget) }
        }
        let builds = plan.countsPostbacks ? try await developmentBuilds(days, request.selection, within: budget) : nil
        sections = try sections.chosen(by: request)
        return StandardReport(
            request: request,
            sections: sections,
            position: days.position,
            recordedAtMilliseconds: request.selection.isLimited ? nil : days.recordedAtMilliseconds,
            firstDay: firstDay, damage: answers.damage,
            networkWarning: try await networkWarning(days, request.selection, within: budget),
            notes: request.notes(firstDay: firstDay, plan)
                + [builds?.note(hasFilter: !plan.hasCosts)].compactMap(\.self),
            unseen: days.unseen(by: request.selection),
            programVersion: programVersion)
    }

    private func costs(
        _ request: StandardReportRequest,
        within budget: AnswerBudget
    ) async throws -> (current: AdCosts, previous: AdCosts?) {
        guard let ads = AdTraffic(request.selection.traffic) else {
            return (AdCosts(), request.previous.map { _ in AdCosts() })
        }
        func costs(_ days: ClosedRange<CalendarDay>) async throws -> AdCosts {
            try await budget.spend { limits in
                try await ledger.costs(
                    AdCostQuestion(days: days, ads: ads, conditions: request.selection.conditions, limits: limits))
            }
        }
        let current = try await costs(request.costDays)
        guard let previous = request.previous else {
            return (current, nil)
        }
        return (current, try await costs(previous.first...previous.last))
    }

    private func deliveries(
        _ request: StandardReportRequest,
        inBackground: Bool
    ) async throws -> (current: DeliveryCounts, previous: DeliveryCounts?) {
        let current = try await ledger.deliveries(received: request.selection.received, inBackground: inBackground)
        guard let previous = request.previousSelection else {
            return (current, nil)
        }
        return (current, try await ledger.deliveries(received: previous.received, inBackground: inBackground))
    }
}

extension StandardReportRequest {
    /// The days (UTC) on which postbacks of the period and of the previous one may have been received; nil for any.
    var namedDays: ClosedRange<CalendarDay>? {
        guard let first = previous?.first ?? period?.first ?? selection.from else {
            return nil
        }
        // Days of other time zones begin and end up to a day apart.
        return first.advanced(by: -1)...max(first, selection.through ?? today).advanced(by: 1)
    }

    /// What is counted for the previous period; nil if figures are not compared.
    var previousSelection: ReportRequest? {
        previous.map { period in
            var selection = selection
            (selection.from, selection.through) = (period.first, period.last)
            return selection
        }
    }

    /// The question of a breakdown, about the period and the previous one.
    func question(_ breakdown: StandardReportPlan.Breakdown, limits: LedgerLimits) -> LedgerQuestion {
        var both = selection
        both.dimensions = breakdown.dimensions
        both.conditions += breakdown.values.map { .init(dimension: $0.dimension, values: $0.values) }
        guard let period, let previous else {
            var question = both.question(limits: limits)
            if let cuts = breakdown.cuts {
                question.calendar = .periods(from: 0, cuts: cuts)
            }
            return question
        }
        both.from = previous.first
        var question = both.question(limits: limits)
        // Last, so that the rows of one combination of values are adjacent.
        question.dimensions.append(LedgerCalendar.periodDimension)
        question.calendar = .periods(
            from: period.first.start(in: selection.timeZone), cuts: breakdown.cuts ?? [])
        question.limits.cells *= 2
        return question
    }
}

/// The counts by day, and those of versions with conversion windows.
private struct DayCounts {
    var all: [CalendarDay: Counts] = [:]
    var ofWindows: [CalendarDay: Counts] = [:]

    /// Takes rows by day and sequence index.
    init(_ rows: LedgerRows) {
        for row in rows {
            guard let day = row.values.first.flatMap({ CalendarDay($0) }) else {
                continue
            }
            all[day, default: Counts()] += row.counts
            if row.values.last != "" {
                ofWindows[day, default: Counts()] += row.counts
            }
        }
    }
}

/// The limits on the cost of everything that an answer takes.
package struct AnswerBudget: Sendable {
    private let limits: LedgerLimits
    private let start = ContinuousClock.now

    package init(_ limits: LedgerLimits) {
        self.limits = limits
    }

    /// Asks a question with what is left of the deadline.
    func spend<Answer>(_ ask: (LedgerLimits) async throws -> Answer) async throws -> Answer {
        guard let deadline = limits.deadline else {
            return try await ask(limits)
        }
        var rest = limits
        rest.deadline = max(.milliseconds(1), deadline - (ContinuousClock.now - start))
        do {
            return try await ask(rest)
        } catch LedgerQuestionError.deadlinePassed {
            throw LedgerQuestionError.deadlinePassed(deadline)
        }
    }

    /// Ends work that takes longer than the deadline.
    package func checkDeadline() throws(LedgerQuestionError) {
        if let deadline = limits.deadline, ContinuousClock.now - start > deadline {
            throw .deadlinePassed(deadline)
        }
    }
}
