import Attribution

/// How much of the quarantine's budgets is used up.
package struct QuarantineRoom: Sendable {
    /// The budgets.
    package let budgets: QuarantineBudgets
    /// What there is of each class.
    package private(set) var totals: [QuarantineClass: Used] = [:]
    /// The hour of receipt the shares below belong to.
    private var hour: Int64 = 0
    private var hourly: [QuarantineClass: Hour] = [:]
    /// What was used up in ``hour`` when the store was last asked.
    private var known: [QuarantineClass: Hour] = [:]
    /// The bytes of all classes when the store was last asked.
    private var knownBytes: Int64 = 0
    /// How many writers share what is left since then.
    private var writers: Int64 = 1

    /// Bodies and their bytes.
    package struct Used: Hashable, Sendable {
        /// Bodies.
        package var rows: Int64
        /// Their bytes.
        package var bytes: Int64

        /// Makes a sum.
        package init(rows: Int64 = 0, bytes: Int64 = 0) {
            self.rows = rows
            self.bytes = bytes
        }

        package static func += (lhs: inout Self, rhs: Self) {
            lhs.rows += rhs.rows
            lhs.bytes += rhs.bytes
        }

        /// What came since an earlier sum; what went does not count.
        fileprivate func growth(since earlier: Self) -> Self {
            Self(rows: max(0, rows - earlier.rows), bytes: max(0, bytes - earlier.bytes))
        }
    }

    private struct Hour {
        var all = Used()
        var byClient: [String: Used] = [:]
    }

    /// The hour over which budgets run.
    package static let hourMilliseconds: Int64 = 3_600_000

    /// Nothing is used up yet.
    package init(_ budgets: QuarantineBudgets) {
        self.budgets = budgets
    }

    /// Takes what a store has.
    ///
    /// - Parameters:
    ///   - totals: What there is of each class.
    ///   - hour: The number of the newest hour, and what it has used up.
    ///   - writers: How many writers share what is left until the store is asked again.
    package mutating func replace(
        totals: [QuarantineClass: Used],
        hour: (number: Int64, used: [(kind: QuarantineClass, client: String, used: Used)]),
        writers: Int64 = 1
    ) {
        self.totals = totals
        self.hour = hour.number
        hourly = [:]
        for entry in hour.used {
            add(entry.used, to: entry.kind, client: entry.client)
        }
        self.writers = max(1, writers)
        known = hourly
        knownBytes = totals.values.reduce(0) { $0 + $1.bytes }
    }

    /// Adds what was claimed while the store was asked, which it may have counted or not.
    ///
    /// - Parameters:
    ///   - after: The room as it is now.
    ///   - before: The room as it was when the store was asked.
    package mutating func add(claimedIn after: Self, since before: Self) {
        for (kind, used) in after.totals {
            totals[kind, default: Used()] += used.growth(since: before.totals[kind, default: Used()])
        }
        if after.hour > hour {
            (hour, hourly, known) = (after.hour, [:], [:])
        }
        guard after.hour == hour else {
            return
        }
        for (kind, used) in after.hourly {
            let earlier = before.hour == hour ? before.hourly[kind, default: Hour()] : Hour()
            hourly[kind, default: Hour()].all += used.all.growth(since: earlier.all)
            for (client, used) in used.byClient {
                hourly[kind, default: Hour()].byClient[client, default: Used()] += used.growth(
                    since: earlier.byClient[client, default: Used()])
            }
        }
    }

    /// Claims room for one body in the hourly budget of its class and in its client's share.
    ///
    /// - Returns: Whether it may be kept, as far as the hour is concerned.
    package mutating func claim(_ kind: QuarantineClass, bytes: Int, client: String, at milliseconds: Int64) -> Bool {
        let hour = milliseconds.dividedRoundingDown(by: Self.hourMilliseconds)
        // Bodies of the previous hour may still arrive. A much earlier hour means that the clock had been wrong.
        if hour > self.hour || hour < self.hour - 1 {
            self.hour = hour
            hourly = [:]
            known = [:]
        }
        let wanted = Used(rows: 1, bytes: Int64(bytes))
        guard let budget = budgets.hourly[kind] else {
            return false
        }
        let (used, known) = (hourly[kind, default: Hour()], known[kind, default: Hour()])
        let share = QuarantineBudgets.Hourly(
            rows: max(1, budget.rows / budgets.shares), bytes: max(1, budget.bytes / budgets.shares))
        guard fits(wanted, beside: used.all, known: known.all, in: budget),
            client.isEmpty
                || fits(
                    wanted, beside: used.byClient[client, default: Used()],
                    known: known.byClient[client, default: Used()], in: share)
        else {
            return false
        }
        add(wanted, to: kind, client: client)
        return true
    }

    private mutating func add(_ used: Used, to kind: QuarantineClass, client: String) {
        hourly[kind, default: Hour()].all += used
        hourly[kind, default: Hour()].byClient[client, default: Used()] += used
    }

    /// Whether a body fits into a budget, of which every writer may use its share of what was left.
    private func fits(
        _ wanted: Used, beside used: Used, known: Used, in budget: QuarantineBudgets.Hourly
    ) -> Bool {
        used.rows + wanted.rows <= share(of: budget.rows, known: known.rows)
            && used.bytes + wanted.bytes <= share(of: budget.bytes, known: known.bytes)
    }

    /// What this writer may fill up of a budget.
    private func share(of budget: Int64, known: Int64) -> Int64 {
        known < budget ? known + (budget - known) / writers : budget
    }

    /// How many bytes must go before some more fit into the total.
    package func excess(adding bytes: Int) -> Int64 {
        totals.values.reduce(Int64(bytes)) { $0 + $1.bytes } - share(of: budgets.totalBytes, known: knownBytes)
    }

    /// Notes bodies that came or, with negative numbers, went.
    package mutating func note(_ kind: QuarantineClass, rows: Int64, bytes: Int64) {
        totals[kind, default: Used()] += Used(rows: rows, bytes: bytes)
    }
}
