import Synchronization

/// A clock that a test sets.
final class TestClock: Sendable {
    private let milliseconds: Mutex<Int64>

    init(_ now: Int64) {
        milliseconds = Mutex(now)
    }

    var now: Int64 {
        get { milliseconds.withLock { $0 } }
        set { milliseconds.withLock { $0 = newValue } }
    }
}
