import NIOCore

/// Runs work on an event loop of a listener, in turn with what the loop reads.
///
/// What answers requests on the loop itself can so answer all together that one look at the sockets brought, without
/// waking another thread.
package struct IngressTurns: Sendable {
    private let next: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Makes the turns of an event loop, or of what stands in for one.
    ///
    /// - Parameters:
    ///   - next: Runs work once, after the caller and whatever else of the loop is already waiting.
    ///   - later: Runs work once, after the loop has looked at its sockets again.
    package init(
        next: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.next = next
        self.later = later
    }

    init(_ eventLoop: any EventLoop) {
        // An event loop runs all work that is due before it looks at its sockets, so later work must not be due yet.
        self.init(
            next: { eventLoop.execute($0) },
            later: { eventLoop.scheduleTask(in: .microseconds(50), $0) })
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
}
