import Foundation
import GRDB
import Synchronization

/// How long a connection waits for another process's lock: ten seconds, or half a second while this process stops.
final class BusyTimeout: Sendable {
    private let isStopping = Atomic(false)

    /// Sleeps for five milliseconds, also in a thread that signals interrupt.
    private static func sleep() {
        var (time, left) = (timespec(tv_sec: 0, tv_nsec: 5_000_000), timespec())
        while nanosleep(&time, &left) != 0, errno == EINTR {
            time = left
        }
    }

    /// Shortens future waits and those in progress.
    func shorten() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// A value for `Configuration.busyMode`.
    ///
    /// - Parameter onWait: Called after waiting for one second.
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
            Self.sleep()
            return true
        }
    }
}
