/// How much of what is not counted is kept; beyond it only counters grow, so that a flood cannot fill the disk.
package struct QuarantineBudgets: Hashable, Sendable {
    /// The most that is kept of one class in an hour.
    package struct Hourly: Hashable, Sendable {
        /// The most bodies.
        package var rows: Int64
        /// The most bytes of bodies.
        package var bytes: Int64

        /// Makes a budget.
        package init(rows: Int64, bytes: Int64) {
            self.rows = rows
            self.bytes = bytes
        }
    }

    /// By class.
    package var hourly: [QuarantineClass: Hourly]
    /// The part of an hour's budget that one client network may use: one in so many.
    package var shares: Int64
    /// The most bytes of bodies in all; beyond it the oldest garbage goes, then the oldest forgeries.
    package var totalBytes: Int64
    /// The most distinct contents kept for one recorded postback that is contradicted.
    package var contentsPerPostback: Int

    /// Makes budgets.
    ///
    /// - Parameters:
    ///   - hourly: By default 4,000 bodies and 8 MiB of garbage, 8,000 and 16 MiB each of forgeries and conflicts, for
    ///     more teach nothing new, and 64 MiB from the future, which may be a new release of Apple's.
    ///   - shares: By default 4: whoever floods us leaves three quarters to the others.
    ///   - totalBytes: By default 1 GiB.
    ///   - contentsPerPostback: By default 8.
    package init(
        hourly: [QuarantineClass: Hourly] = [
            .garbage: Hourly(rows: 4_000, bytes: 8 << 20), .forged: Hourly(rows: 8_000, bytes: 16 << 20),
            .conflict: Hourly(rows: 8_000, bytes: 16 << 20), .future: Hourly(rows: 100_000, bytes: 64 << 20),
        ],
        shares: Int64 = 4,
        totalBytes: Int64 = 1 << 30,
        contentsPerPostback: Int = 8
    ) {
        self.hourly = hourly
        self.shares = shares
        self.totalBytes = totalBytes
        self.contentsPerPostback = contentsPerPostback
    }
}
