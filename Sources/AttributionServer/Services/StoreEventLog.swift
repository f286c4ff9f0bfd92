import AttributionStore
import BoundedLogging
import Logging
import Metrics

/// Logs a store's events, and counts bodies that were not kept.
struct StoreEventLog: Sendable {
    private let logger: Logger
    private let notKept: FailureLog

    init(logger: Logger) {
        self.logger = logger
        notKept = FailureLog("bodies not kept: a limit of the quarantine was reached", logger: logger)
    }

    /// Notes one event.
    func note(_ event: StoreEvent) {
        if case .notKept(let kind, let count) = event {
            Counter(label: "skan_quarantine_not_kept_total", dimensions: [("class", kind.rawValue)])
                .increment(by: Int64(count))
            return notKept.note("\(count) of class \(kind.rawValue)")
        }
        logger.log(level: event.isError ? .error : .warning, "\(event.message)")
    }
}
