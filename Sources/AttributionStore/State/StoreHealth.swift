/// Whether an owner can record.
package enum StoreHealth: Hashable, Sendable {
    /// The last commit succeeded.
    case ready
    /// It records, but something is wrong with the server or its database: it should get no traffic.
    case doubtful(reason: String)
    /// The last commit failed, or there was none yet; another is tried every second.
    case failing(reason: String, hint: String? = nil)
    /// Another process took over the store; this one never writes again.
    case fenced
    /// Files were removed, replaced or truncated; this process never writes again.
    case lost(StoreLoss)

    /// Why nothing can be recorded; nil if it is ready.
    package var reason: String? {
        switch self {
        case .ready: nil
        case .failing(let reason, _), .doubtful(let reason): reason
        case .fenced: "another process took over the store; this one no longer records in it"
        case .lost(let loss): "\(loss.rawValue) while it was open; this process no longer records in it"
        }
    }

    package var hint: String? {
        switch self {
        case .ready, .doubtful: nil
        case .failing(_, let hint): hint
        case .fenced: "stop one of the two, and restart the other"
        case .lost: "see the log before you restart"
        }
    }

    /// The health of an owner whose last commit failed.
    package init(_ fault: StoreFault) {
        self = .failing(reason: fault.words, hint: fault.hint)
    }

    /// Whether this process must never write again.
    package var isTerminal: Bool {
        switch self {
        case .fenced, .lost: true
        case .ready, .doubtful, .failing: false
        }
    }

    /// Whether it makes sense to try: what is refused at once costs nobody the time of a commit that fails.
    package var records: Bool {
        switch self {
        case .ready, .doubtful: true
        case .failing, .fenced, .lost: false
        }
    }
}

/// The state in which a store was closed.
package enum StoreEnding: Hashable, Sendable {
    /// One complete file, which can be copied and moved.
    case whole
    /// The file still needs its `-wal`.
    case logLeft(reason: String)
    /// The store was fenced or its files were lost, so it must not be closed; the process has to end with `_exit`.
    case abandoned
}

/// What happened to the files of a database while it was open.
package enum StoreLoss: String, Sendable {
    /// The database was removed, renamed or replaced; the file SQLite has open is complete.
    case storeMoved = "the store was moved, removed or replaced"
    /// The database became shorter than it was.
    case storeTruncated = "the store was truncated"
    /// The log was removed, renamed or replaced; the file SQLite has open is complete.
    case logMoved = "the store's -wal was moved, removed or replaced"
    /// The log became shorter than what was committed to it.
    case logTruncated = "the store's -wal was truncated"
}
