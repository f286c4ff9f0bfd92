package import Attribution

/// A count of deliveries that cannot be right by itself.
package struct ImplausibleCount: Hashable, Sendable {
    /// What identifies its row.
    package enum Key: Hashable, Sendable {
        /// A row of the table `delivery`, in the words of the table.
        case delivery(quarter: Int64, status: String, traffic: String, reason: String, recipient: String)
        /// A row of the table `repeat_delay`.
        case repeats(quarter: Int64, delay: Int64)
    }

    /// Which row.
    package let key: Key
    /// The column of the table.
    package let column: String
    /// What it says; in PostgreSQL the sum of the rows with that key, which 64 bits may not hold.
    package let value: String

    /// Makes a finding.
    package init(_ key: Key, column: String, value: String) {
        self.key = key
        self.column = column
        self.value = value
    }

    /// Whether it is of recorded postbacks, which can be counted again.
    package var isRecorded: Bool {
        if case .delivery(_, Recording.Status.recorded.rawValue, _, _, _) = key { true } else { false }
    }
}

extension ImplausibleCount: CustomStringConvertible {
    /// Where it is, what it says, what was expected, and what to do.
    package var description: String {
        let cure =
            isRecorded
            ? "a repair counts these postbacks again"
            : "nothing in the store tells the right one, and a repair leaves it: restore a backup from before, or, if the "
                + "store was made by skan store copy, copy its source into a new store"
        return "table \(row): \(column) is \(value), and 0 to \(DeliveryCounts.plausible.upperBound) was expected; "
            + cure
    }

    private var row: String {
        switch key {
        case .delivery(let quarter, let status, let traffic, let reason, let recipient):
            "delivery (quarter \(quarter), status \(status.debugDescription), traffic \(traffic.debugDescription), "
                + "reason \(reason.debugDescription), recipient \(recipient.debugDescription))"
        case .repeats(let quarter, let delay):
            "repeat_delay (quarter \(quarter), delay \(delay))"
        }
    }
}

extension DeliveryCounts {
    /// Plausible counts; any other is damage, and summing it could overflow.
    package static let plausible: ClosedRange<Int64> = 0...(1 << 48)
}
