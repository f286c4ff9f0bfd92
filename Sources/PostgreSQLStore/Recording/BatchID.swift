import AttributionStore
import Foundation

/// The number of a recording transaction, chosen at random, by which a node finds out whether it was committed.
struct BatchID {
    private let parameter: PostgreSQLParameter

    /// How long a commit whose answer was lost is looked for, until its batch is refused.
    private static let patience = Duration.seconds(10)

    init() {
        var generator = SystemRandomNumberGenerator()
        let words: (UInt64, UInt64) = (generator.next(), generator.next())
        parameter = .digest(withUnsafeBytes(of: words) { Digest16($0) })
    }

    /// Settings of a transaction.
    ///
    /// A time-out of statements would end the wait of a COMMIT for the standbys; a node that vanished must not hold its
    /// locks for hours; and a commit that is not on disk was none.
    private static let settings = """
        SELECT
            set_config('statement_timeout', '0', true), set_config('lock_timeout', '10s', true),
            set_config('idle_in_transaction_session_timeout', '30s', true),
            set_config('synchronous_commit', CASE
                WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN 'on'
                ELSE current_setting('synchronous_commit') END, true)
        """

    /// Waits for a lock, which the transaction has until its end, and only then notes the transaction: one that has an id
    /// holds readers back.
    func insert(_ connection: PostgreSQLConnection, behind lock: Int64) throws {
        try connection.run(Self.settings)
        try connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(lock)])
        try insert(connection)
    }

    /// Notes the transaction, and makes its settings those that recording needs, whatever the role's are.
    @discardableResult
    func insert(_ connection: PostgreSQLConnection) throws -> Bool {
        try connection.run(
            """
            WITH settings AS MATERIALIZED (\(Self.settings))
            INSERT INTO skan.batch (id) SELECT $1::uuid FROM settings RETURNING EXISTS (SELECT FROM skan.known_id)
            """, [parameter]
        ).bool(0, 0)
    }

    /// Finds out whether the transaction was committed whose answer was lost.
    ///
    /// Inserting the number again waits for the transaction if it still runs. If the number can be inserted, there was
    /// no commit; this is rolled back, so that a further attempt does not find its own number. If not, the commit made
    /// here comes after it, and so the standbys have it too when this one returns.
    func findCommit(
        _ address: PostgreSQLAddress, _ closing: ClosingBound, _ connect: () throws -> PostgreSQLConnection
    ) throws {
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
                return try connect().recordingTransaction { connection in
                    let inserted = try connection.run(
                        "INSERT INTO skan.batch (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING true",
                        [parameter])
                    guard inserted.count == 0 else {
                        throw StoreError.failed(path: address.description, .connectionLost)
                    }
                }
            } catch let error as StoreError {
                throw error
            } catch {
                guard ContinuousClock.now < end, !closing.isOver else {
                    throw StoreError.failed(path: address.description, .commitUnknown)
                }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }
}

extension PostgreSQLConnection {
    /// Does work in one transaction with the settings that recording needs.
    func recordingTransaction<Result>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try transaction { connection in
            try BatchID().insert(connection)
            return try work(connection)
        }
    }
}
