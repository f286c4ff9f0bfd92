import AttributionAccess
import AttributionListener
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads certificate and tokens again on SIGHUP; without either, the signal is noted and ignored.
///
/// It is always trapped: a log rotation or a closed terminal must not end a server because it has no certificate.
struct ReloadService: Service {
    let tls: IngressTLS?
    let access: AccessControl?
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            reload()
        }
    }

    private func reload() {
        if tls == nil, access == nil {
            logger.info("SIGHUP ignored: there is nothing to read again")
        }
        if let tls {
            do {
                try tls.reload()
                logger.notice("certificate read again")
            } catch {
                logger.error("what is in use stays", metadata: ["what": "certificate", "error": "\(error)"])
            }
        }
        // Says itself what became of it.
        access?.reload()
    }
}
