/// What became of the deliveries received: every one stands under exactly one of the counts.
public struct DeliveryCounts: Hashable, Sendable {
    /// One kind of delivery.
    public struct Kind: Hashable, Sendable {
        /// What the store made of it.
        public let status: Recording.Status
        /// Whose key verified it; nil in quarantine.
        public let provenance: Provenance?
        /// Why it was quarantined; nil elsewhere.
        public let reason: PostbackRejection.Code?

        /// Makes a kind.
        public init(status: Recording.Status, provenance: Provenance?, reason: PostbackRejection.Code?) {
            self.status = status
            self.provenance = provenance
            self.reason = reason
        }

        /// The kind of one recording.
        public init(_ recording: Recording) {
            switch recording {
            case .recorded(let provenance), .duplicate(let provenance), .conflict(let provenance):
                self.init(status: recording.status, provenance: provenance, reason: nil)
            case .quarantined(let rejection):
                self.init(status: .quarantined, provenance: nil, reason: rejection.code)
            }
        }
    }

    /// How many deliveries of a kind there were, and the bytes of how many were kept.
    public struct Tally: Hashable, Sendable {
        /// All of them.
        public var count: Int64
        /// Those whose raw bytes are in the store; fewer when a bound was reached.
        public var kept: Int64

        /// Makes a tally.
        public init(count: Int64, kept: Int64) {
            self.count = count
            self.kept = kept
        }
    }

    /// The tallies.
    public private(set) var tallies: [Kind: Tally]

    /// Makes counts.
    public init(_ tallies: [Kind: Tally] = [:]) {
        self.tallies = tallies
    }

    /// Adds deliveries of a kind.
    public mutating func add(_ kind: Kind, count: Int64 = 1, kept: Int64) {
        tallies[kind, default: Tally(count: 0, kept: 0)].count += count
        tallies[kind, default: Tally(count: 0, kept: 0)].kept += kept
    }

    /// All deliveries.
    public var received: Int64 {
        tallies.values.reduce(0) { $0 + $1.count }
    }

    /// Deliveries verified by keys of a provenance that ended in a status.
    public func count(_ status: Recording.Status, _ provenance: Provenance) -> Int64 {
        tallies[Kind(status: status, provenance: provenance, reason: nil)]?.count ?? 0
    }

    /// Deliveries quarantined for a reason.
    public func quarantined(_ reason: PostbackRejection.Code) -> Int64 {
        tallies[Kind(status: .quarantined, provenance: nil, reason: reason)]?.count ?? 0
    }

    /// Deliveries quarantined for any reason.
    public var quarantined: Int64 {
        PostbackRejection.Code.allCases.reduce(0) { $0 + quarantined($1) }
    }

    /// Deliveries whose bytes were not kept because a bound was reached.
    public var notKept: Int64 {
        tallies.values.reduce(0) { $0 + $1.count - $1.kept }
    }
}
