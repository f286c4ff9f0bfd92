import Attribution
import AttributionStore
import GRDB

extension RecreatableTables {
    /// What can be read of damaged tables and may not follow from others.
    ///
    /// SQLite commits nothing of a transaction that read a damaged page, so this is found before.
    struct Remains {
        private(set) var counts: DeliveryTable?
        private(set) var columns: ProvenColumns?
        /// The ids of the rows that can be read, of tables that have a row for a postback.
        private(set) var rows: [RecreatableTables: [ReadableIDs.Part]] = [:]
        /// Bodies that can be read elsewhere.
        let bodies: FoundBodies
        /// Whether the table of bodies is whole but for those.
        private(set) var canTakeBodies = false

        /// Nothing.
        init() {
            bodies = FoundBodies()
        }

        /// Reads what remains of some tables.
        ///
        /// - Parameters:
        ///   - db: The store.
        ///   - tables: The tables.
        ///   - bodies: Bodies that were found before, because looking for them takes long.
        /// - Throws: SQLite's errors, except for damage.
        init(_ db: Database, of tables: some Sequence<RecreatableTables>, bodies: FoundBodies = FoundBodies()) throws {
            self.bodies = bodies
            for table in tables {
                switch table {
                case .quarantine, .quarantineTotals: break
                case .columns: columns = try ProvenColumns(db)
                case .deliveryCounts: counts = try DeliveryTable(db)
                case .recipientCopies, .postbacks, .bodies:
                    // Copies are kept also of postbacks that only a block of columns has.
                    let newest =
                        try table == .recipientCopies ? LedgerScan.newestRow(db) : LedgerScan.newestStored(db)
                    guard newest > 0, try table.exist(db) else {
                        continue
                    }
                    if try table == .bodies && table.areWhole(db) && table.passIntegrityCheck(db) {
                        canTakeBodies = true
                        continue
                    }
                    rows[table] = try table.readableIDs(table.names.tables[0], db).parts(of: 1...newest)
                }
            }
        }
    }

    /// Looks for bodies that cannot be read from their table in every page of the file.
    ///
    /// - Parameters:
    ///   - db: The store.
    ///   - judge: Parses and verifies bodies.
    /// - Returns: What was found.
    /// - Throws: SQLite's errors, except for damage.
    static func findBodies(_ db: Database, judge: ([[UInt8]]) -> [Judgement]) throws -> FoundBodies {
        let newest = try LedgerScan.newestStored(db)
        guard newest > 0, try postbacks.exist(db) else {
            return FoundBodies()
        }
        let parts =
            try bodies.exist(db) ? bodies.readableIDs(bodies.names.tables[0], db).parts(of: 1...newest) : []
        return try FoundBodies(outside: parts.map(\.ids), through: newest, db, judge: judge)
    }
}
