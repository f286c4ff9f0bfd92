import AttributionStore
import BoundedLogging
import CodedErrors
import Hummingbird
import Logging

/// Answers what a group of routes could not do, and logs what an operator has to mend.
struct RouteFailures: Sendable {
    private let log: FailureLog
    private let unexpected: Refusal

    /// Makes the answers of some routes.
    ///
    /// - Parameters:
    ///   - message: What failed, in words that do not change; for the log.
    ///   - unexpected: What a client is told of errors that have no words of ours: those of libraries.
    ///   - logger: Takes what goes wrong.
    init(_ message: Logger.Message, unexpected: Refusal, logger: Logger) {
        log = FailureLog(message, logger: logger)
        self.unexpected = unexpected
    }

    /// Logs something that did not keep a request from being answered.
    func note(_ reason: String) {
        log.note(reason)
    }

    /// The answer to a request that ended in an error.
    func response(to error: any Error) -> Response {
        switch error {
        case is CancellationError:
            // Nobody reads it: the client has gone, or the server stops. The status is for the metrics.
            return .refusing(Refusal(.cancelled, "the client has gone"))
        case let error as StoreError:
            // However it failed, a client hears that the store did.
            log.note("\(error)")
            return .refusing(Refusal(.storeFailed, error.message, hint: error.hint))
        case let error as any CodedError:
            if error.code == unexpected.code {
                log.note("\(error)")
            }
            return .refusing(error)
        default:
            log.note("\(error)")
            return .refusing(unexpected)
        }
    }
}
