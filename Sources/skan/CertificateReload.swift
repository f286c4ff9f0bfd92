import AttributionHTTP
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the TLS certificate again on SIGHUP; a bad file leaves the one in use.
struct CertificateReload: Service {
    let tls: IngressTLS
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do {
                try tls.reload()
                logger.notice("certificate read again")
            } catch {
                logger.error("the certificate in use stays", metadata: ["error": "\(error)"])
            }
        }
    }
}
