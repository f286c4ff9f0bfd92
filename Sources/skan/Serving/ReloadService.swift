import Logging
import ServiceLifecycle
import UnixSignals

/// Reads again on SIGHUP what can be read again; with nothing of the kind, the signal is noted and ignored.
///
/// It is always trapped: a log rotation or a closed terminal must not end a server because it has no certificate.
struct ReloadService: Service {
    /// One thing that can be read again.
    struct Reloadable: Sendable {
        /// What it is, for the log.
        let name: String
        /// Reads it; when it throws, what is in use stays.
        let reload: @Sendable () throws -> Void
    }

    let reloadables: [Reloadable]
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            if reloadables.isEmpty {
                logger.info("SIGHUP ignored: there is nothing to read again")
            }
            for reloadable in reloadables {
                do {
                    try reloadable.reload()
                } catch {
                    logger.error(
                        "what is in use stays", metadata: ["what": "\(reloadable.name)", "error": "\(error)"])
                }
            }
        }
    }
}
