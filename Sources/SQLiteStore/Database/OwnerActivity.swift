import Synchronization

/// What the owner of a store is doing, for the readers of its process.
package final class OwnerActivity: Sendable {
    private let frames = Atomic(0)
    private let repairs = Mutex((begun: 0, running: 0))

    package init() {}

    /// The frames in the log as of the last commit.
    package var framesInLog: Int {
        get { frames.load(ordering: .relaxed) }
        set { frames.store(newValue, ordering: .relaxed) }
    }

    /// How many repairs there were; nil while one is running.
    package var repairCount: Int? {
        repairs.withLock { $0.running == 0 ? $0.begun : nil }
    }

    /// Notes that something recorded earlier may change, columns too.
    package func beginRepair() {
        repairs.withLock { repairs in
            repairs.begun += 1
            repairs.running += 1
        }
    }

    /// Notes the end of a repair, whether or not it changed anything.
    package func endRepair() {
        repairs.withLock { $0.running -= 1 }
    }
}
