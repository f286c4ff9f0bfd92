import AttributionStore
import PostgreSQLStore
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// A kind of store, whose ledgers obey the same rules as those of every other kind.
struct LedgerFactory: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Opens the store that belongs to a path, and makes it when there is none.
    let open: @Sendable (String) throws -> AnyLedger
    /// Opens it as one that another store is copied into, with a quarantine that has no room.
    let openTarget: @Sendable (String) throws -> TargetLedger
    /// Opens the web ads that belong to it; the time is noon.
    let openWebAds: @Sendable (String) throws -> any WebAdLedger

    static let all = [
        LedgerFactory(testDescription: "SQLite") { path in
            AnyLedger(writer: try SQLiteLedgerWriter(path: path), reader: try SQLiteLedgerReader(path))
        } openTarget: { path in
            let writer = try SQLiteLedgerWriter(path: path, settings: withoutRoom)
            return TargetLedger(target: writer, writer: writer, reader: try SQLiteLedgerReader(path))
        } openWebAds: { path in
            try SQLiteWebAdLedger(path: SQLiteWebAdLedger.path(besideStore: path))
        },
        LedgerFactory(testDescription: "PostgreSQL") { path in
            let address = try databases.address(of: path)
            return AnyLedger(
                writer: try PostgreSQLLedgerWriter(address), reader: PostgreSQLLedgerReader(address))
        } openTarget: { path in
            let address = try databases.address(of: path)
            return TargetLedger(
                target: try PostgreSQLCopyTarget(address),
                writer: try PostgreSQLLedgerWriter(address, settings: withoutRoom),
                reader: PostgreSQLLedgerReader(address))
        } openWebAds: { path in
            PostgreSQLWebAdLedger(try databases.address(of: path)) { Postbacks.noon }
        },
    ]

    private static let withoutRoom = LedgerSettings(
        budgets: QuarantineBudgets(hourly: [:], totalBytes: 0, contentsPerPostback: 0))

    private static let databases = Databases()

    /// The databases that stand in for paths.
    private final class Databases: Sendable {
        private let addresses = Mutex<[String: String]>([:])

        func address(of path: String) throws -> PostgreSQLAddress {
            try addresses.withLock { addresses in
                if let address = addresses[path] {
                    return try PostgreSQLAddress(address)
                }
                let address = try PostgreSQLServer.shared().makeDatabase()
                addresses[path] = address
                return try PostgreSQLAddress(address)
            }
        }
    }
}
