/// Whether an owner can record.
package enum StoreHealth: Hashable, Sendable {
    /// The last commit succeeded.
    case ready
    /// The last commit failed, or there was none yet; another is tried every second.
    case failing(reason: String)
    /// Another process took over the store; this one never writes again.
    case fenced
    /// Files were removed, replaced or truncated; this process never writes again.
    case lost(StoreLoss)

    /// Why nothing can be recorded; nil if it is ready.
    package var reason: String? {
        switch self {
        case .ready: nil
        case .failing(let reason): reason
        case .fenced: "another process took over the store; this one no longer records, restart it"
        case .lost(let loss):
            "\(loss.rawValue) while it was open; this process no longer records, see the log and restart"
        }
    }

    /// Whether this process must never write again.
    package var isTerminal: Bool {
        switch self {
        case .fenced, .lost: true
        case .ready, .failing: false
        }
    }
}
