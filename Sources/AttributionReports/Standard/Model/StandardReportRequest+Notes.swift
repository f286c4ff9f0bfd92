import Attribution

extension StandardReportRequest {
    /// What limits the figures of a report.
    ///
    /// - Parameters:
    ///   - firstDay: The first day with a postback that the conditions select; nil if there is none.
    ///   - plan: The plan of the report.
    /// - Returns: A sentence each.
    func notes(firstDay: CalendarDay?, _ plan: StandardReportPlan) -> [String] {
        var notes: [String] = []
        if isCompared, period == nil {
            notes.append("Nothing is compared: without a first day there is no previous period.")
        }
        if let period, let through = selection.through, through > period.last {
            notes.append(
                "The period ends on \(through); the previous one has as many days as have begun, \(period.count).")
        }
        if plan.countsPostbacks {
            notes += beginning(firstDay).map { [$0] } ?? []
        }
        if plan.hasDeliveries, !selection.conditions.isEmpty {
            notes.append("Deliveries are left out: those in quarantine have no proven fields to select by.")
        } else if plan.hasDeliveries, selection.asOf != nil {
            notes.append("Deliveries are as of now, not as of the position.")
        }
        if plan.hasCosts, selection.asOf != nil {
            notes.append("Impressions signed and spend are as of now, not as of the position.")
        }
        return notes
    }

    /// Says that the period, or the previous one, begins before the first postback.
    private func beginning(_ firstDay: CalendarDay?) -> String? {
        let those = selection.conditions.isEmpty ? "" : " that the filters select"
        guard let firstDay else {
            return "There is no postback\(those) up to the end of the period."
        }
        guard let period else {
            return nil
        }
        if period.first < firstDay {
            return "The period begins on \(period.first), before the first postback\(those), received on \(firstDay)."
        }
        guard let previous, previous.first < firstDay else {
            return nil
        }
        guard isComparable(since: firstDay) else {
            return "There is nothing to compare with: the first postback\(those) was received on \(firstDay)."
        }
        return "The previous period begins on \(previous.first), before the first postback\(those), received on "
            + "\(firstDay): its figures are not those of \(previous.count) days."
    }
}
