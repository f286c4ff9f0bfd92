import AttributionStore
import GRDB
import Synchronization

/// The tables that another program deleted from a store while it has an owner, as of the last look.
final class MissingTables: Sendable {
    private let found = Mutex<[StoreError]>([])

    /// The errors that name them.
    var errors: [StoreError] {
        found.withLock { $0 }
    }

    /// The parts of the store that recording has to do without.
    var parts: Set<StoreEvent.Table> {
        Set(
            errors.compactMap { error -> StoreEvent.Table? in
                guard case .missingTable(_, let table, _) = error else {
                    return nil
                }
                return StoreEvent.Table(of: table)
            })
    }

    /// Looks for them, and reports each once until it is there again.
    ///
    /// - Throws: ``AttributionStore/StoreError/missingTable(path:table:isRecreated:)`` for the first, and SQLite's errors.
    func look(_ path: String, _ db: Database, onEvent: (StoreEvent) -> Void) throws {
        let now = try StoreError.missingTables(path, db)
        let before = found.withLock { found in
            defer { found = now }
            return found
        }
        for case .missingTable(let path, let table, let isRecreated) in now.filter({ !before.contains($0) }) {
            onEvent(.tableMissing(path: path, table: table, isRecreated: isRecreated))
        }
        if let first = now.first {
            throw first
        }
    }
}

extension StoreEvent.Table {
    /// The part of the store that a table belongs to; nil for one that recording needs, or never uses.
    fileprivate init?(of table: String) {
        switch table {
        case "quarantine": self = .quarantine
        case "quarantine_total": self = .quarantineTotals
        case "delivery", "repeat_delay", "recipient_copy": self = .deliveryCounts
        default: return nil
        }
    }
}
