import GRDB

extension DatabaseWriter {
    /// The settings of the writing connection on which durability rests, as SQLite reports them.
    func durabilitySettings() async throws -> [String: String] {
        try await write { db in
            var settings: [String: String] = [:]
            for name in ["journal_mode", "synchronous"] {
                settings[name] = try String.fetchOne(db, sql: "PRAGMA \(name)")
            }
            return settings
        }
    }
}
