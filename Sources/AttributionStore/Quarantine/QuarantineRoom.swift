package import Attribution

/// How much of the quarantine's budgets is used up.
package struct QuarantineRoom: Sendable {
    package let budgets: QuarantineBudgets
    /// What there is of each class.
    package private(set) var totals: [QuarantineClass: Used] = [:]
    /// The hour of receipt the shares below belong to.
    private var hour: Int64 = 0
    private var hourly: [Budget: Hour] = [:]

    /// What has an hourly budget of its own: a class, and of class `unknown` each traffic.
    package struct Budget: Hashable, Sendable {
        /// The class.
        package let kind: QuarantineClass
        /// The traffic; nil for all other classes.
        package let traffic: Traffic?

        package init(_ kind: QuarantineClass, _ traffic: Traffic? = nil) {
            self.kind = kind
            self.traffic = traffic
        }
    }

    /// Bodies and their bytes.
    package struct Used: Hashable, Sendable {
        /// Bodies.
        package var rows: Int64
        /// Their bytes.
        package var bytes: Int64

        package init(rows: Int64 = 0, bytes: Int64 = 0) {
            self.rows = rows
            self.bytes = bytes
        }

        package static func += (lhs: inout Self, rhs: Self) {
            lhs.rows += rhs.rows
            lhs.bytes += rhs.bytes
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
    package mutating func replace(
        totals: [QuarantineClass: Used],
        hour: (number: Int64, used: [(budget: Budget, client: String, used: Used)])
    ) {
        self.totals = totals
        self.hour = hour.number
        hourly = [:]
        for entry in hour.used {
            add(entry.used, to: entry.budget, client: entry.client)
        }
    }

    /// Claims room for a body in its hourly budget and in its client's share.
    package mutating func claim(_ body: QuarantinedBody) -> Bool {
        let client = body.delivery.client ?? ""
        let (claimed, milliseconds) = (body.budget, body.delivery.receivedAtMilliseconds)
        let hour = milliseconds.dividedRoundingDown(by: Self.hourMilliseconds)
        // Bodies of the previous hour may still arrive. A much earlier hour means that the clock had been wrong.
        if hour > self.hour || hour < self.hour - 1 {
            self.hour = hour
            hourly = [:]
        }
        let wanted = Used(rows: 1, bytes: Int64(body.body.count))
        guard let budget = budgets.hourly[claimed.kind] else {
            return false
        }
        let used = hourly[claimed, default: Hour()]
        let share = QuarantineBudgets.Hourly(
            rows: max(1, budget.rows / budgets.shares), bytes: max(1, budget.bytes / budgets.shares))
        guard fits(wanted, beside: used.all, in: budget),
            client.isEmpty || claimed.kind == .unknown
                || fits(wanted, beside: used.byClient[client, default: Used()], in: share)
        else {
            return false
        }
        add(wanted, to: claimed, client: client)
        return true
    }

    private mutating func add(_ used: Used, to budget: Budget, client: String) {
        hourly[budget, default: Hour()].all += used
        hourly[budget, default: Hour()].byClient[client, default: Used()] += used
    }

    private func fits(_ wanted: Used, beside used: Used, in budget: QuarantineBudgets.Hourly) -> Bool {
        used.rows + wanted.rows <= budget.rows && used.bytes + wanted.bytes <= budget.bytes
    }

    /// How many bytes must go before some more of a class fit into the total.
    ///
    /// For class `unknown` the total is a quarter larger: others, which a stranger can fill, leave that room to what
    /// verifies.
    package func excess(adding bytes: Int, of kind: QuarantineClass) -> Int64 {
        let excess = totals.values.reduce(Int64(bytes)) { $0 + $1.bytes } - budgets.totalBytes
        return kind == .unknown ? max(excess, .min / 2) - budgets.totalBytes / 4 : excess
    }

    /// Notes bodies that came or, with negative numbers, went.
    package mutating func note(_ kind: QuarantineClass, rows: Int64, bytes: Int64) {
        totals[kind, default: Used()] += Used(rows: rows, bytes: bytes)
    }
}
