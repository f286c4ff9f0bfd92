package import Attribution
package import AttributionReports
package import AttributionStore

/// What pages are made from.
package struct PageSources: Sendable {
    package var reader: any LedgerReading
    package var requeue: @Sendable (QuarantineQuery) async throws -> Requeued
    /// Says why a body does not verify: labels and texts.
    package var explain: @Sendable (ReceivedBody) -> [(label: String, text: String)]
    /// What is known without the store; must not block.
    package var health: @Sendable () -> ServerHealth
    /// The keys in use, by name.
    package var keys: @Sendable () -> [KeysPage.Key]
    package var report: @Sendable (ReportRequest, LedgerLimits) async throws -> Report
    package var standardReport: @Sendable (StandardReportRequest, LedgerLimits) async throws -> StandardReport
    /// What of yesterday's traffic a person should look at.
    package var findings: @Sendable (CalendarDay, Traffic, LedgerLimits) async throws -> [TrafficFinding]
    package var version: String
    /// The traffic of pages that name none: only a demonstration has another than Apple's.
    package var traffic = Traffic.apple

    package init(
        reader: any LedgerReading,
        requeue: @escaping @Sendable (QuarantineQuery) async throws -> Requeued,
        explain: @escaping @Sendable (ReceivedBody) -> [(label: String, text: String)],
        health: @escaping @Sendable () -> ServerHealth,
        keys: @escaping @Sendable () -> [KeysPage.Key],
        report: @escaping @Sendable (ReportRequest, LedgerLimits) async throws -> Report,
        standardReport: @escaping @Sendable (StandardReportRequest, LedgerLimits) async throws -> StandardReport,
        findings: @escaping @Sendable (CalendarDay, Traffic, LedgerLimits) async throws -> [TrafficFinding],
        version: String
    ) {
        self.reader = reader
        self.requeue = requeue
        self.explain = explain
        self.health = health
        self.keys = keys
        self.report = report
        self.standardReport = standardReport
        self.findings = findings
        self.version = version
    }
}

/// How fast a counter has grown during the last minute, from readings of it.
package struct RecentRate: Sendable {
    /// The time that the rate is of.
    package static let window = Duration.seconds(60)
    /// The least time between two readings that are kept, so that few are.
    private static let interval = Duration.milliseconds(900)

    private var readings: [(instant: ContinuousClock.Instant, count: Int64)] = []

    package init() {}

    package mutating func note(_ count: Int64, at now: ContinuousClock.Instant) {
        if let last = readings.last, now - last.instant < Self.interval {
            return
        }
        // The one before the window is kept, for the window begins after it.
        while readings.count > 1, now - readings[1].instant >= Self.window {
            readings.removeFirst()
        }
        readings.append((now, count))
    }

    /// The rate; nil before there are two readings, and when the last is old.
    package func perSecond(at now: ContinuousClock.Instant) -> Double? {
        guard let first = readings.first, let last = readings.last, last.instant > first.instant,
            now - last.instant < Self.window
        else {
            return nil
        }
        return Double(last.count - first.count) / ((last.instant - first.instant) / .seconds(1))
    }
}
