import AttributionStore

/// What a migration did to a store's tables.
package enum MigrationOutcome: Hashable, Sendable {
    /// They are as this release wants them.
    case current
    /// They were made, or brought from an earlier version.
    case migrated(from: Int64?, to: Int64)
    /// A dump was loaded into another cluster, and the order of the commits goes on after its last.
    case moved
}

/// Makes the tables of a store and brings those of earlier releases up, one program at a time.
package struct SchemaMigrator {
    private let connection: PostgreSQLConnection
    private let address: PostgreSQLAddress

    /// Held while tables are made, over the whole database.
    private static let lock: Int64 = 0x736b_616e_0001

    init(_ connection: PostgreSQLConnection, _ address: PostgreSQLAddress) {
        self.connection = connection
        self.address = address
    }

    /// Makes what is missing.
    @discardableResult
    package static func migrate(_ address: PostgreSQLAddress) throws -> MigrationOutcome {
        try StoreError.translating(address) {
            try SchemaMigrator(try PostgreSQLConnection(address), address).migrate()
        }
    }

    /// Says whether something is missing, and changes nothing.
    package static func check(_ address: PostgreSQLAddress) throws -> MigrationOutcome {
        try StoreError.translating(address) {
            let migrator = SchemaMigrator(try PostgreSQLConnection(address), address)
            let found = try migrator.found()
            guard let found, found >= PostgreSQLSchema.version else {
                return .migrated(from: found, to: PostgreSQLSchema.version)
            }
            return try migrator.isMoved() ? .moved : .current
        }
    }

    /// Makes what is missing, when this role may; several nodes that start at once wait for the first of them.
    func migrate() throws -> MigrationOutcome {
        if let found = try found(), found >= PostgreSQLSchema.version, try !isMoved() {
            return .current
        }
        var before: Int64?
        do {
            return try connection.transaction { connection in
                try connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(Self.lock)])
                // Another node may have done it meanwhile.
                before = try found()
                let steps = PostgreSQLSchema.migrations.filter { $0.version > before ?? 0 }
                // Where an administrator has made the schema, a role that owns it needs no rights on the database.
                if try connection.run("SELECT FROM pg_namespace WHERE nspname = 'skan'").count == 0 {
                    try connection.run("CREATE SCHEMA skan")
                }
                for step in steps {
                    try connection.runScript(step.sql)
                    try connection.run(
                        "UPDATE skan.store SET version = $1, oldest_program = $2",
                        [.integer(step.version), .integer(step.oldestProgram)])
                }
                let isMoved = try isMoved()
                if isMoved {
                    try continueOrder()
                }
                try connection.run(PostgreSQLSchema.makePartitions)
                guard steps.isEmpty else {
                    return .migrated(from: before, to: PostgreSQLSchema.version)
                }
                return isMoved ? .moved : .current
            }
        } catch let fault as PostgreSQLFault where fault.sqlState == PostgreSQLFault.notAllowed {
            throw StoreError.notMigrated(
                path: address.description, found: before, needed: PostgreSQLSchema.version)
        }
    }

    /// The version of the tables; nil without tables.
    func found() throws -> Int64? {
        // Not by to_regclass, which may answer from what it knew before another node made the table.
        let tables = try connection.run(
            """
            SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = 'skan' AND c.relname = 'store'
            """)
        guard tables.count > 0 else {
            return nil
        }
        let result = try connection.run("SELECT version, oldest_program FROM skan.store")
        guard result.count == 1 else {
            throw StoreError.foreignDatabase(path: address.description)
        }
        guard try result.integer(0, 1) <= PostgreSQLSchema.version else {
            throw StoreError.newerSchema(path: address.description)
        }
        return try result.integer(0, 0)
    }

    // MARK: Order

    /// Whether the tables came from another cluster whose transactions had numbers this one has not reached.
    private func isMoved() throws -> Bool {
        let result = try connection.run(
            "SELECT cluster <> (SELECT system_identifier FROM pg_control_system()) FROM skan.store")
        return try result.count == 1 && result.bool(0, 0)
    }

    /// Lets the order of the commits go on after the last one there is.
    private func continueOrder() throws {
        try connection.run(
            """
            UPDATE skan.store SET
                commit_base = greatest(
                    commit_base,
                    (SELECT coalesce(max(commit_order), 0) FROM skan.postback) + 1
                        - pg_current_xact_id()::text::int8),
                cluster = (SELECT system_identifier FROM pg_control_system())
            """)
    }
}
