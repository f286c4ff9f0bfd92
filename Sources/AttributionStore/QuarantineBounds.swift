/// How much unverified traffic is kept; beyond it only counters grow, so that a flood cannot fill the disk.
public struct QuarantineBounds: Hashable, Sendable {
    /// The most bodies kept for an hour of receipt.
    public let rowsPerHour: Int64
    /// The most bytes of bodies kept for an hour of receipt.
    public let bytesPerHour: Int64

    /// Makes bounds.
    ///
    /// - Parameters:
    ///   - rowsPerHour: By default 10,000: more broken postbacks an hour teach nothing new.
    ///   - bytesPerHour: By default 16 MiB, at most 400 MiB a day.
    public init(rowsPerHour: Int64 = 10_000, bytesPerHour: Int64 = 16 << 20) {
        self.rowsPerHour = rowsPerHour
        self.bytesPerHour = bytesPerHour
    }
}
