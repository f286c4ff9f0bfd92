/// Counts of deliveries by outcome; every delivery is counted exactly once.
package struct DeliveryCounts: Hashable, Sendable {
    /// One kind of delivery.
    package struct Kind: Hashable, Sendable {
        /// The outcome.
        package let status: Recording.Status
        /// The traffic it belongs to; nil if quarantined.
        package let traffic: Traffic?
        /// Why it was quarantined; nil otherwise.
        package let reason: PostbackRejection.Code?
        /// Whose copy it was.
        package let recipient: Delivery.Recipient

        package init(
            status: Recording.Status, traffic: Traffic?, reason: PostbackRejection.Code?,
            recipient: Delivery.Recipient = .network
        ) {
            self.status = status
            self.traffic = traffic
            self.reason = reason
            self.recipient = recipient
        }

        package init(_ recording: Recording, recipient: Delivery.Recipient) {
            switch recording {
            case .recorded(let traffic), .duplicate(let traffic), .conflict(let traffic, _):
                self.init(status: recording.status, traffic: traffic, reason: nil, recipient: recipient)
            case .quarantined(let rejection, _):
                self.init(status: .quarantined, traffic: nil, reason: rejection.code, recipient: recipient)
            }
        }
    }

    /// The number of deliveries of a kind, and how many of them were kept.
    package struct Tally: Hashable, Sendable {
        /// All of them.
        package var count: Int64
        /// Those whose raw bytes are in the store; fewer if a limit was reached.
        package var kept: Int64

        package init(count: Int64, kept: Int64) {
            self.count = count
            self.kept = kept
        }

        /// Adds another tally.
        package mutating func add(_ other: Tally) {
            count += other.count
            kept += other.kept
        }
    }

    package private(set) var tallies: [Kind: Tally]
    /// Repeats of recorded postbacks, by delay after the first copy.
    package private(set) var repeats: [RepeatDelay: Int64] = [:]
    /// Recorded postbacks of which another recipient's copy arrived too.
    package var otherRecipients: Int64 = 0

    package init(_ tallies: [Kind: Tally] = [:]) {
        self.tallies = tallies
    }

    package mutating func add(_ delay: RepeatDelay, count: Int64 = 1) {
        repeats[delay, default: 0] += count
    }

    /// Adds deliveries of a kind.
    package mutating func add(_ kind: Kind, count: Int64 = 1, kept: Int64) {
        tallies[kind, default: Tally(count: 0, kept: 0)].add(Tally(count: count, kept: kept))
    }

    /// All deliveries.
    package var received: Int64 {
        tallies.values.reduce(0) { $0 + $1.count }
    }

    /// Deliveries of the network's own copies or of developers' copies.
    package func received(by recipient: Delivery.Recipient) -> Int64 {
        tallies.reduce(0) { $1.key.recipient == recipient ? $0 + $1.value.count : $0 }
    }

    /// Verified deliveries with a status and traffic.
    package func count(_ status: Recording.Status, _ traffic: Traffic) -> Int64 {
        sum { $0.status == status && $0.traffic == traffic }
    }

    /// Deliveries quarantined for a reason.
    package func quarantined(_ reason: PostbackRejection.Code) -> Int64 {
        sum { $0.status == .quarantined && $0.reason == reason }
    }

    private func sum(_ isCounted: (Kind) -> Bool) -> Int64 {
        tallies.reduce(0) { isCounted($1.key) ? $0 + $1.value.count : $0 }
    }

    /// Deliveries quarantined for any reason.
    package var quarantined: Int64 {
        PostbackRejection.Code.allCases.reduce(0) { $0 + quarantined($1) }
    }

    /// Deliveries whose bytes were not kept because a limit was reached.
    package var notKept: Int64 {
        tallies.values.reduce(0) { $0 + $1.count - $1.kept }
    }
}

/// Roughly how long after the first copy a repeat of a postback arrived.
///
/// Devices repeat a postback that was not answered with 200 for up to nine days.
package enum RepeatDelay: Int, CaseIterable, Hashable, Sendable {
    /// Within a minute, or earlier than the first copy because the clock changed.
    case minute
    /// Within an hour.
    case hour
    /// Within a day.
    case day
    /// Within nine days.
    case nineDays
    /// Later, and so not sent by a device.
    case later

    /// The delay between two receipts.
    package init(milliseconds: Int64) {
        self =
            switch milliseconds {
            case ...60_000: .minute
            case ...3_600_000: .hour
            case ...86_400_000: .day
            case ...777_600_000: .nineDays
            default: .later
            }
    }

    /// The name in reports.
    package var name: String {
        switch self {
        case .minute: "within-a-minute"
        case .hour: "within-an-hour"
        case .day: "within-a-day"
        case .nineDays: "within-nine-days"
        case .later: "later"
        }
    }
}
