package import Attribution
package import AttributionStore

extension Reporter {
    /// What of yesterday's traffic (UTC) a person should look at, compared with the week before.
    ///
    /// - Parameters:
    ///   - today: Today.
    ///   - traffic: Which traffic.
    ///   - limits: The limits on the cost of the answer.
    /// - Returns: The findings, worst first.
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
        return TrafficFinding.all(rows, deliveries, traffic, yesterday: yesterday)
    }
}
