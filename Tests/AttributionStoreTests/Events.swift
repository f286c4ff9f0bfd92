import AttributionStore
import Synchronization

/// The events of a store.
final class Events: Sendable {
    private let heard = Mutex<[StoreEvent]>([])

    func note(_ event: StoreEvent) {
        heard.withLock { $0.append(event) }
    }

    var messages: [String] {
        heard.withLock { $0.map(\.message) }
    }
}
