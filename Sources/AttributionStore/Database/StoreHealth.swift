/// Whether an owner can record.
package enum StoreHealth: Hashable, Sendable {
    /// The last commit succeeded.
    case ready
    /// The last commit failed, or there was none yet; it is tried again each second.
    case failing(reason: String)
    /// Another process took the store over: this one never writes again.
    case fenced
    /// Files were taken away: this process never writes again.
    case lost(StoreLoss)

    /// Why nothing can be recorded; nil when it can.
    package var reason: String? {
        switch self {
        case .ready: nil
        case .failing(let reason): reason
        case .fenced: "another process took the store over; this one records nothing any more, restart it"
        case .lost(let loss):
            "\(loss.rawValue) while it was open; nothing is recorded any more, see the log and restart"
        }
    }

    /// Whether this process must not write any more, for ever.
    var isOver: Bool {
        switch self {
        case .fenced, .lost: true
        case .ready, .failing: false
        }
    }
}
