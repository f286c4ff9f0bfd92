import AttributionStore
import Synchronization

/// What a store told its operator.
final class Events: Sendable {
    private let heard = Mutex<[StoreEvent]>([])

    func note(_ event: StoreEvent) {
        heard.withLock { $0.append(event) }
    }

    var messages: [String] {
        heard.withLock { $0.map(\.message) }
    }
}
