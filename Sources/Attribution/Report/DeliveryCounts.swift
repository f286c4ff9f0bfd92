/// What became of the deliveries received: every one stands under exactly one of the counts.
public struct DeliveryCounts: Hashable, Sendable {
    /// One kind of delivery.
    public struct Kind: Hashable, Sendable {
        /// What the store made of it.
        public let status: Recording.Status
        /// Which numbers it belongs to; nil in quarantine.
        public let traffic: Traffic?
        /// Why it was quarantined; nil elsewhere.
        public let reason: PostbackRejection.Code?
        /// Whose copy it was.
        public let recipient: Delivery.Recipient

        /// Makes a kind.
        public init(
            status: Recording.Status,
            traffic: Traffic?,
            reason: PostbackRejection.Code?,
            recipient: Delivery.Recipient = .network
        ) {
            self.status = status
            self.traffic = traffic
            self.reason = reason
            self.recipient = recipient
        }

        /// The kind of one recording.
        public init(_ recording: Recording, recipient: Delivery.Recipient) {
            switch recording {
            case .recorded(let traffic), .duplicate(let traffic), .conflict(let traffic, _):
                self.init(status: recording.status, traffic: traffic, reason: nil, recipient: recipient)
            case .quarantined(let rejection, _):
                self.init(status: .quarantined, traffic: nil, reason: rejection.code, recipient: recipient)
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

        /// Adds another tally.
        public mutating func add(_ other: Tally) {
            count += other.count
            kept += other.kept
        }
    }

    /// The tallies.
    public private(set) var tallies: [Kind: Tally]
    /// Repeats of recorded postbacks by how long after the first copy they came.
    public private(set) var repeats: [RepeatDelay: Int64] = [:]
    /// Recorded postbacks of which another recipient's copy came too.
    public var otherRecipients: Int64 = 0
    /// Whether some counts are damaged, and so left out.
    public var areIncomplete = false

    /// Makes counts.
    public init(_ tallies: [Kind: Tally] = [:]) {
        self.tallies = tallies
    }

    /// Adds repeats.
    public mutating func add(_ delay: RepeatDelay, count: Int64 = 1) {
        repeats[delay, default: 0] += count
    }

    /// Adds deliveries of a kind.
    public mutating func add(_ kind: Kind, count: Int64 = 1, kept: Int64) {
        tallies[kind, default: Tally(count: 0, kept: 0)].add(Tally(count: count, kept: kept))
    }

    /// All deliveries.
    public var received: Int64 {
        tallies.values.reduce(0) { $0 + $1.count }
    }

    /// Deliveries of the network's own copies or of developers' copies.
    public func received(by recipient: Delivery.Recipient) -> Int64 {
        tallies.reduce(0) { $1.key.recipient == recipient ? $0 + $1.value.count : $0 }
    }

    /// Verified deliveries of some traffic that ended in a status.
    public func count(_ status: Recording.Status, _ traffic: Traffic) -> Int64 {
        sum { $0.status == status && $0.traffic == traffic }
    }

    /// Deliveries quarantined for a reason.
    public func quarantined(_ reason: PostbackRejection.Code) -> Int64 {
        sum { $0.status == .quarantined && $0.reason == reason }
    }

    private func sum(_ isCounted: (Kind) -> Bool) -> Int64 {
        tallies.reduce(0) { isCounted($1.key) ? $0 + $1.value.count : $0 }
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
