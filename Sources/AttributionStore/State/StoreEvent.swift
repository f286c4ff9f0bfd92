/// An event for the operator, in addition to the results of single calls.
package enum StoreEvent: Sendable {
    /// The log cannot be checkpointed and grows; nothing is lost. Reported once until a checkpoint succeeds.
    case checkpointFailed(path: String, reason: String)
    /// Another process took over the store.
    case fenced(path: String)
    /// Files were removed, replaced or truncated; `rescue` says what was saved and where.
    case filesLost(path: String, StoreLoss, rescue: String)
    /// A stored row cannot be read; no other row is affected.
    case damagedRow(path: String, id: Int64)
    /// Part of the index could not be read and was rebuilt from the rows.
    case indexRebuilt(path: String, rows: Int64)
    /// A block of columns cannot be written; reports count its postbacks from their bytes.
    case columnsDamaged(path: String)
    /// A table was deleted; whether a repair makes it again. Reported once until it is there again.
    case tableMissing(path: String, table: String, isRecreated: Bool)
    /// The file got another name, by a hard link. Reported once until it has one name again.
    case linked(path: String, names: Int, folder: String)
    /// A table is damaged, and something was recorded without it. Reported once.
    case tableDamaged(path: String, Table)
    /// Counts of deliveries cannot be written: kept in memory until they can, or lost with the process.
    case countsNotWritten(path: String, reason: String, areLost: Bool)
    /// Bodies were not kept because a limit of the quarantine was reached.
    case notKept(QuarantineClass, count: Int)
    /// Commits reach one server alone: its loss would lose what was acknowledged.
    case notSynchronous(store: String)
    /// Work beside recording failed, and is tried again: what, and why.
    case upkeepFailed(store: String, reason: String)

    /// A table that recording can do without.
    package enum Table: Sendable {
        /// Rejected bodies are counted and answered, but not kept.
        case quarantine
        /// Bodies are kept, but how many is not written.
        case quarantineTotals
        /// Deliveries are recorded, but not counted, and neither are copies for other recipients.
        case deliveryCounts
    }

    /// Whether an operator must look into it.
    package var isError: Bool {
        switch self {
        case .indexRebuilt, .linked, .notSynchronous, .upkeepFailed: false
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
        case .damagedRow(let path, let id):
            "row \(id) of \(path) cannot be read; run: skan recount --store \(path)"
        case .indexRebuilt(let path, let rows):
            "the index of \(path) was damaged and was rebuilt from \(rows) rows; run: skan recount --store \(path)"
        case .columnsDamaged(let path):
            "the columns of \(path) are damaged; reports are slower but correct; "
                + "run: skan recount --store \(path) --repair"
        case .tableMissing(let path, let table, let isRecreated):
            "the table \(table) of \(path) is missing; \(StoreError.consequence(of: table)); "
                + StoreError.cure(isRecreated: isRecreated, "skan recount --store \(path) --repair")
        case .linked(let path, let names, let folder):
            "\(path) has \(names) names (hard links); postbacks are still recorded, but no command and no other start "
                + "opens it until all but one are removed; run: find \(folder) -xdev -samefile \(path)"
        case .tableDamaged(let path, .deliveryCounts):
            "the counts of deliveries of \(path) are damaged, and some are left out; postbacks are still recorded; "
                + "run: skan recount --store \(path)"
        case .countsNotWritten(let path, let reason, areLost: false):
            "some counts of deliveries of \(path) cannot be written now and are kept in memory: \(reason)"
        case .countsNotWritten(let path, let reason, areLost: true):
            "some counts of deliveries of \(path) could not be written and are lost; the postbacks are recorded: \(reason)"
        case .tableDamaged(let path, .quarantine), .tableDamaged(let path, .quarantineTotals):
            "the quarantine of \(path) is damaged and keeps no more bodies; postbacks are still recorded; "
                + "run: skan recount --store \(path)"
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
