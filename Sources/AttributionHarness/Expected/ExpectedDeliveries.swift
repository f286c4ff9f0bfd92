import Attribution

/// What became of the deliveries of a day.
struct ExpectedDeliveries {
    /// Those refused as not JSON, which no report shows.
    private(set) var refused: Int64 = 0
    private var counts: [Key: Int64] = [:]

    /// What reports tell apart; spelled out only when somebody asks.
    private enum Key: Hashable {
        case recorded(Recording.Status, isDevelopment: Bool)
        case quarantined(PostbackRejection.Code)
        case developersCopy
        case alsoFromAnotherRecipient
        case repeated(lateness: String)
    }

    mutating func count(_ timed: TimedDelivery) {
        switch timed.delivery.expectation {
        case .durable(.quarantined, let reason?):
            add(.quarantined(reason))
        case .durable(let status, _):
            let isDevelopment = if case .development = timed.part { true } else { false }
            add(.recorded(status, isDevelopment: isDevelopment))
            if status == .duplicate {
                add(.repeated(lateness: Self.lateness(timed.time - timed.firstAt)))
            }
        case .refused:
            refused += 1
            return
        case .none:
            return
        }
        if timed.delivery.recipient == .developer {
            add(.developersCopy)
        }
        if case .otherRecipient = timed.part {
            add(.alsoFromAnotherRecipient)
        }
    }

    private mutating func add(_ key: Key) {
        counts[key, default: 0] += 1
    }

    /// The figures by the names a report has them under.
    var figures: [String: Int64] {
        var figures: [String: Int64] = [:]
        func add(_ name: String, _ count: Int64) {
            figures[name, default: 0] += count
        }
        for (key, count) in counts {
            switch key {
            case .recorded(let status, let isDevelopment):
                add("received", count)
                add("\(isDevelopment ? "development" : "test") \(status.rawValue)", count)
            case .quarantined(let reason):
                add("received", count)
                add("quarantined total", count)
                add("quarantined \(reason.rawValue)", count)
            case .developersCopy: add("developer-copies", count)
            case .alsoFromAnotherRecipient: add("also-from-another-recipient", count)
            case .repeated(let lateness): add("repeats \(lateness)", count)
            }
        }
        return figures
    }

    private static func lateness(_ milliseconds: Int64) -> String {
        switch milliseconds {
        case ...60_000: "within-a-minute"
        case ...AppleRules.hour: "within-an-hour"
        case ...AppleRules.day: "within-a-day"
        case ...(9 * AppleRules.day): "within-nine-days"
        default: "later"
        }
    }
}
