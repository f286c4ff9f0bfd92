import AttributionHTTP
import ServiceLifecycle
import UnixSignals

/// Reads the list of tokens again on SIGHUP, whether or not it looks changed.
struct TokensReload: Service {
    let access: AccessControl

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            access.reload()
        }
    }
}
