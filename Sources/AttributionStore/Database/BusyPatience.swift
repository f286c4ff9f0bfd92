import Foundation
import GRDB
import Synchronization

/// How long a connection waits for somebody else's lock: ten seconds, and half a second while the process stops.
final class BusyPatience: Sendable {
    private let isStopping = Atomic(false)

    /// Waits less from now on, and in waits that are under way.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// For `Configuration.busyMode`.
    ///
    /// - Parameter onWait: Told when a second was waited in vain.
    /// - Returns: A mode that waits.
    func mode(onWait: @escaping @Sendable () -> Void) -> Database.BusyMode {
        .callback { [self] tries in
            if tries == 200 {
                onWait()
            }
            // Another process may hold the lock for one batch; longer means trouble.
            guard tries < (isStopping.load(ordering: .relaxed) ? 100 : 2_000) else {
                return false
            }
            usleep(5_000)
            return true
        }
    }
}
