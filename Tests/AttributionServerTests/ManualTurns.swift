import AttributionListener
import Synchronization

/// The turns of an event loop, which come when told.
final class ManualTurns: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    /// What a handler schedules its turns with.
    var turns: IngressSchedule {
        { _, work in self.waiting.withLock { $0.append(work) } }
    }

    /// Does what waits now.
    func step() {
        let works = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for work in works { work() }
    }

    /// Does all work, and what follows from it.
    func finish() {
        while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
    }
}
