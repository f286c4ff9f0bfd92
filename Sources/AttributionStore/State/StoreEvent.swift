/// An event for the operator, in addition to the results of single calls.
package enum StoreEvent: Sendable {
    /// The log cannot be checkpointed and grows; nothing is lost. Reported once until a checkpoint succeeds.
    case checkpointFailed(path: String, reason: String)
    /// Another process took over the store.
    case fenced(path: String)
    /// Files were removed, replaced or truncated; `rescue` says what was saved and where.
    case filesLost(path: String, StoreLoss, rescue: String)
    /// Part of the index could not be read and was rebuilt from the rows.
    case indexRebuilt(path: String, rows: Int64)
    /// A block of columns cannot be written; reports count its postbacks from their bytes.
    case columnsDamaged(path: String)
    /// Bodies were not kept because a limit of the quarantine was reached.
    case notKept(QuarantineClass, count: Int)
    /// Commits reach one server alone: its loss would lose what was acknowledged.
    case notSynchronous(store: String)
    /// Work beside recording failed, and is tried again: what, and why.
    case upkeepFailed(store: String, reason: String)

    /// Whether an operator must look into it.
    package var isError: Bool {
        switch self {
        case .indexRebuilt, .notSynchronous, .upkeepFailed: false
        default: true
        }
    }

    /// What happened, and what to do.
    package var message: String {
        switch self {
        case .checkpointFailed(let path, let reason):
            "the -wal of \(path) cannot be moved into the store and keeps growing; nothing is lost: \(reason)"
        case .fenced(let path):
            "another process took over \(path); this process no longer records in it; stop one of the two"
        case .filesLost(let path, let loss, let rescue):
            "\(path): \(loss.rawValue); this process no longer records in it; \(rescue)"
        case .indexRebuilt(let path, let rows):
            "the index of \(path) was damaged and was rebuilt from \(rows) rows; run: skan recount --store \(path)"
        case .columnsDamaged(let path):
            "the columns of \(path) are damaged; reports are slower but correct; "
                + "run: skan recount --store \(path) --repair"
        case .notSynchronous(let store):
            "\(store): commits reach one server alone, whose loss would lose what was acknowledged; set "
                + "synchronous_standby_names, or give --require-synchronous to refuse it"
        case .upkeepFailed(let store, let reason):
            "\(store): upkeep failed, and is tried again: \(reason)"
        case .notKept(let kind, let count):
            "\(count) \(kind.rawValue) bodies were not kept: a limit of the quarantine was reached"
        }
    }
}
