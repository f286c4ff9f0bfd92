import AttributionStore

extension PostgreSQLLedgerReader {
    /// Reads in one snapshot, within limits; cancelling the task ends the work.
    ///
    /// - Parameters:
    ///   - limits: The limits; that of cells is left to the work.
    ///   - isSettled: Whether to wait, for a moment, until everything in the snapshot lies below the horizon.
    ///   - work: Reads, and calls the check now and then; the server ends statements that take too long.
    /// - Returns: What the work returns.
    /// - Throws: ``AttributionStore/LedgerQuestionError/deadlinePassed(_:)``, `CancellationError`, and what the work throws.
    func read<Result: Sendable>(
        _ limits: LedgerLimits,
        isSettled: Bool = false,
        _ work: @escaping @Sendable (LedgerSnapshot, AnswerCheck) throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        return try await read(isSettled: isSettled, inBackground: limits.isBackground) { snapshot in
            let check = AnswerCheck(limits, since: start, snapshot.checkCancellation)
            do {
                try snapshot.limitTime(try check.remaining())
                return try work(snapshot, check)
            } catch let fault as PostgreSQLFault where fault.sqlState == PostgreSQLFault.canceled {
                _ = try check.remaining()
                throw fault
            }
        }
    }
}

extension LedgerSnapshot {
    /// Lets the server end a statement that takes too long.
    fileprivate func limitTime(_ remaining: Duration?) throws {
        // The next whole millisecond, so that the time is over when the server ends a statement; 0 is no limit.
        let milliseconds = remaining.map { remaining in
            let (seconds, attoseconds) = remaining.components
            return seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
        }
        // Compiling a statement takes longer than it saves: each reads a few thousand rows.
        try connection.run(
            "SELECT set_config('jit', 'off', true), set_config('statement_timeout', $1, true)",
            [.text(String(milliseconds ?? 0))])
    }
}

extension PostgreSQLConnection {
    /// Rows of a query that are in memory at a time.
    private static let rowsOfPart = 4_096

    /// Reads the rows of a query in parts, however many there are, within a transaction.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - parameters: The values of its parameters.
    ///   - use: Takes a part and the number of a row in it.
    /// - Throws: ``PostgreSQLFault``, and what `use` throws; then the transaction has to end.
    func each(
        _ query: String, _ parameters: [PostgreSQLParameter], _ use: (PostgreSQLResult, Int) throws -> Void
    ) throws {
        try run("DECLARE answer NO SCROLL CURSOR FOR \(query)", parameters)
        while true {
            let part = try run("FETCH \(Self.rowsOfPart) FROM answer")
            for row in 0..<part.count {
                try use(part, row)
            }
            guard part.count == Self.rowsOfPart else {
                break
            }
        }
        try run("CLOSE answer")
    }
}
