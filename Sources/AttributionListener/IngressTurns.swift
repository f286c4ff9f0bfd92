import Foundation
import NIOCore

/// Runs work on an event loop of a listener, in turn with what the loop reads.
///
/// What answers requests on the loop itself can so answer all together that one look at the sockets brought, without
/// waking another thread.
package struct IngressTurns: Sendable {
    private let next: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let pause: @Sendable (Duration) -> Void

    /// Makes the turns of an event loop, or of what stands in for one.
    ///
    /// - Parameters:
    ///   - next: Runs work once, after the caller and whatever else of the loop is already waiting.
    ///   - later: Runs work once, after the loop has looked at its sockets again.
    ///   - pause: Blocks the loop.
    package init(
        next: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        pause: @escaping @Sendable (Duration) -> Void
    ) {
        self.next = next
        self.later = later
        self.pause = pause
    }

    init(_ eventLoop: any EventLoop) {
        // An event loop runs all work that is due before it looks at its sockets, so later work must not be due yet.
        self.init(
            next: { eventLoop.execute($0) },
            later: { eventLoop.scheduleTask(in: .microseconds(50), $0) },
            pause: { duration in
                // Anything that does not block would wake the thread for each request that arrives.
                var time = timespec(tv_sec: 0, tv_nsec: Int(duration / .nanoseconds(1)))
                nanosleep(&time, nil)
            })
    }

    /// Runs work after everything that has arrived is read.
    ///
    /// It may be called from any thread.
    package func afterReading(_ work: @escaping @Sendable () -> Void) {
        next(work)
    }

    /// Runs work after what arrives meanwhile is read too.
    ///
    /// It may be called from any thread.
    package func afterReadingAgain(_ work: @escaping @Sendable () -> Void) {
        later(work)
    }

    /// Keeps the loop from its sockets for a moment, in which more arrives than would be worth being woken for.
    ///
    /// It is called on the loop, for less than a second.
    package func rest(_ duration: Duration) {
        pause(duration)
    }
}
