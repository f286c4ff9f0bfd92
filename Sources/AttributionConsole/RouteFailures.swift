import AttributionListener
import AttributionStore
import BoundedLogging
import CodedErrors
import Logging

/// Answers the errors of a group of routes, and logs those an operator has to fix.
struct RouteFailures: Sendable {
    private let log: FailureLog
    private let unexpected: Refusal

    /// Makes the answers of some routes.
    ///
    /// - Parameters:
    ///   - message: What failed, as a constant log message.
    ///   - unexpected: The answer to errors without a code, such as those of libraries.
    ///   - logger: Logs problems.
    init(_ message: Logger.Message, unexpected: Refusal, logger: Logger) {
        log = FailureLog(message, logger: logger)
        self.unexpected = unexpected
    }

    /// Logs something that did not keep a request from being answered.
    func note(_ reason: String) {
        log.note(reason)
    }

    /// The answer to a request that ended in an error.
    func answer(to error: any Error) -> IngressAnswer {
        .refusing(refusal(for: error))
    }

    /// What a client is told of an error, which is logged if an operator has to fix it.
    func refusal(for error: any Error) -> any CodedError {
        switch error {
        case is CancellationError:
            // Read by a client that only ended its sending, if by any.
            return Refusal(
                .cancelled, "the client closed the connection, or its side of it, before the answer was made",
                hint: "keep the connection open until the answer has come")
        case let error as StoreError:
            // Clients get one code for every failure of the store.
            log.note(error)
            return Refusal(.storeFailed, error.message, hint: error.hint)
        case let error as any CodedError:
            if error.code == unexpected.code {
                log.note(error)
            }
            return error
        default:
            log.note(error)
            return unexpected
        }
    }
}
