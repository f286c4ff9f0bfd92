import AttributionListener
import Foundation
import ServiceLifecycle

/// The listener of signing requests, which has its counts written as soon as it has stopped.
///
/// The other listeners and the console stop after it, and none of them can take so long that the counts are lost.
struct SigningListener: Service {
    let ingress: Ingress
    let counts: SignedCounts?

    func run() async throws {
        defer { writeCounts() }
        try await ingress.run()
    }

    /// Begins to write on a thread of its own, because it may have to wait for the store.
    ///
    /// ``Server/close()`` waits for it, and writes what could not be written.
    private func writeCounts() {
        guard let counts else { return }
        let thread = Thread { counts.write() }
        thread.name = "skan-counts"
        thread.start()
    }
}
