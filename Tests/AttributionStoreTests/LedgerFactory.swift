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
    /// Replaces a text in every body of a closed store, as damage would.
    let replaceInBodies: @Sendable (_ path: String, _ text: String, _ replacement: String) throws -> Void

    static let all = [
        LedgerFactory(testDescription: "SQLite") { path in
            AnyLedger(writer: try SQLiteLedgerWriter(path: path), reader: try SQLiteLedgerReader(path))
        } openTarget: { path in
            let writer = try SQLiteLedgerWriter(path: path, settings: withoutRoom)
            return TargetLedger(target: writer, writer: writer, reader: try SQLiteLedgerReader(path))
        } openWebAds: { path in
            try SQLiteWebAdLedger(path: SQLiteWebAdLedger.path(besideStore: path))
        } replaceInBodies: { path, text, replacement in
            try SQLite.execute(
                "UPDATE postback_body SET body = CAST(replace(CAST(body AS TEXT), '\(text)', '\(replacement)') AS BLOB)",
                path)
        },
        LedgerFactory(testDescription: "PostgreSQL") { path in
            let address = try databases.address(of: path)
            return AnyLedger(
                writer: try PostgreSQLLedgerWriter(address),
                reader: PostgreSQLLedgerReader(address, patience: .seconds(60)))
        } openTarget: { path in
            let address = try databases.address(of: path)
            return TargetLedger(
                target: try PostgreSQLCopyTarget(address),
                writer: try PostgreSQLLedgerWriter(address, settings: withoutRoom),
                reader: PostgreSQLLedgerReader(address, patience: .seconds(60)))
        } openWebAds: { path in
            PostgreSQLWebAdLedger(try databases.address(of: path)) { Postbacks.noon }
        } replaceInBodies: { path, text, replacement in
            try PostgreSQLServer.shared().sql(
                """
                UPDATE skan.postback_body
                SET body = convert_to(replace(convert_from(body, 'UTF8'), '\(text)', '\(replacement)'), 'UTF8')
                """, database: databases.text(of: path))
        },
    ]

    private static let withoutRoom = LedgerSettings(
        budgets: QuarantineBudgets(hourly: [:], totalBytes: 0, contentsPerPostback: 0))

    private static let databases = Databases()

    /// The databases that stand in for paths.
    private final class Databases: Sendable {
        private let addresses = Mutex<[String: String]>([:])

        func address(of path: String) throws -> PostgreSQLAddress {
            try PostgreSQLAddress(text(of: path))
        }

        func text(of path: String) throws -> String {
            try addresses.withLock { addresses in
                if let address = addresses[path] {
                    return address
                }
                let address = try PostgreSQLServer.shared().makeDatabase()
                addresses[path] = address
                return address
            }
        }
    }
}
