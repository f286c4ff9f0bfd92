import AttributionReports
import Logging
import Synchronization

/// What reports know besides the store, which can be replaced while requests are answered.
final class CurrentReferences: Sendable {
    private let state: Mutex<ReportReferences>

    /// Makes an object with initial references.
    init(_ references: ReportReferences) {
        state = Mutex(references)
    }

    /// The references for a report; read once, so that all of it comes from the same files.
    var references: ReportReferences {
        state.withLock { $0 }
    }

    /// Replaces the references, from the next report on.
    func use(_ references: ReportReferences) {
        state.withLock { $0 = references }
    }
}

extension ReportReferences {
    /// How much there is, for the log.
    var counts: Logger.Metadata {
        ["schemas": "\(schemas.count)", "campaigns": "\(campaigns?.campaigns.count ?? 0)"]
    }
}
