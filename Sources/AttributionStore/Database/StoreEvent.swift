/// What an operator should hear of, beside the outcome of single calls.
package enum StoreEvent: Sendable {
    /// The log cannot be moved into the store, and grows; nothing is lost. Reported once, until it works again.
    case checkpointFailed(path: String, reason: String)
    /// Another process took the store over.
    case fenced(path: String)
    /// Files were taken away, and what could be saved where.
    case filesLost(path: String, StoreLoss, rescue: String)
    /// A stored row cannot be read; only it is affected.
    case damagedRow(path: String, id: Int64)
    /// Part of the index could not be read and was made again from the rows.
    case indexRebuilt(path: String, rows: Int64)
    /// A block of columns cannot be written; reports count its postbacks from their bytes.
    case columnsDamaged(path: String)
    /// A body that is no postback was counted and not kept, for the quarantine is damaged. Reported once.
    case quarantineDamaged(path: String)
    /// Bodies were not kept because a bound of the quarantine was reached.
    case notKept(QuarantineClass, count: Int)
    /// Commits reach one server alone: its loss would lose what was acknowledged.
    case notSynchronous(store: String)
    /// Work beside recording failed, and is tried again: what, and why.
    case upkeepFailed(store: String, reason: String)

    /// Whether something is wrong that a person must look at.
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
            "the log of \(path) cannot be moved into the store and grows; nothing is lost: \(reason)"
        case .fenced(let path):
            "another process took \(path) over; nothing is recorded here any more; end one of the two"
        case .filesLost(let path, let loss, let rescue):
            "\(path): \(loss.rawValue); nothing is acknowledged any more; \(rescue)"
        case .damagedRow(let path, let id):
            "row \(id) of \(path) cannot be read; run: skan recount --store \(path)"
        case .indexRebuilt(let path, let rows):
            "the index of \(path) was damaged and was made again from \(rows) rows; run: skan recount --store \(path)"
        case .columnsDamaged(let path):
            "the columns of \(path) are damaged, which makes reports slower but not wrong; "
                + "run: skan recount --store \(path) --repair"
        case .quarantineDamaged(let path):
            "the quarantine of \(path) is damaged and keeps nothing more; postbacks are recorded; "
                + "run: skan recount --store \(path)"
        case .notSynchronous(let store):
            "\(store): commits reach one server alone, whose loss would lose what was acknowledged; set "
                + "synchronous_standby_names, or give --require-synchronous to refuse it"
        case .upkeepFailed(let store, let reason):
            "\(store): upkeep failed, and is tried again: \(reason)"
        case .notKept(let kind, let count):
            "\(count) \(kind.rawValue) bodies were not kept: a bound of the quarantine was reached"
        }
    }
}
