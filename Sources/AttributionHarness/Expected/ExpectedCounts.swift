import Attribution

/// What the columns of a report must say of some postbacks, counted by their names and not by the server's code.
struct ExpectedCounts {
    private(set) var figures: [String: Int64] = [:]

    /// Counts postbacks that say the same.
    mutating func count(_ postback: SimulatedPostback, times: Int64) {
        func add(_ name: String) {
            figures[name, default: 0] += times
        }
        let hasVerdict = postback.version >= .v3_0
        add("postbacks")
        if hasVerdict, !postback.flags.contains(.didWin) {
            add("losses")
            return
        }
        if postback.kind == .reengagement {
            guard postback.sequenceIndex == 0 else {
                add("re-engagements-later")
                return
            }
            add("re-engagements")
            switch postback.conversion {
            case .absent: add("re-engagement-null")
            case .fine(let value): add("re-engagement-values \(value)")
            case .coarse(let value): add("re-engagement-\(value.rawValue)")
            }
            return
        }
        guard postback.sequenceIndex == 0 else {
            add(postback.sequenceIndex == 1 ? "window-2" : "window-3")
            switch postback.conversion {
            case .absent: add("later-null")
            case .fine: add("later-invalid")
            case .coarse(let value): add("later-\(value.rawValue)")
            }
            return
        }
        add("installs")
        if hasVerdict {
            add("wins")
        }
        if postback.version > .v1_0 || postback.flags.contains(.saysRedownload) {
            add("redownload-known")
            if postback.kind == .redownload {
                add("redownloads")
            }
            if postback.version == .v1_0 {
                add("redownload-unproven")
            }
        }
        switch postback.conversion {
        case .absent: add("conversion-null")
        case .fine(let value):
            add("conversion-fine")
            add("conversion-values \(value)")
        case .coarse(let value): add("coarse-\(value.rawValue)")
        }
    }
}

/// What became of the deliveries of a day.
struct ExpectedDeliveries {
    private(set) var figures: [String: Int64] = [:]
    /// Those refused as not JSON, which no report shows.
    private(set) var refused: Int64 = 0

    mutating func count(_ timed: TimedDelivery) {
        func add(_ name: String) {
            figures[name, default: 0] += 1
        }
        switch timed.delivery.expectation {
        case .durable(.quarantined, let reason):
            add("received")
            add("quarantined total")
            add("quarantined \(reason?.rawValue ?? "")")
        case .durable(let status, _):
            add("received")
            add("\(timed.isDevelopment ? "development" : "test") \(status.rawValue)")
            if status == .duplicate {
                add("repeats \(Self.delay(timed.time - timed.firstAt))")
            }
        case .refused: refused += 1
        case .none: break
        }
    }

    private static func delay(_ milliseconds: Int64) -> String {
        switch milliseconds {
        case ...60_000: "within-a-minute"
        case ...AppleRules.hour: "within-an-hour"
        case ...AppleRules.day: "within-a-day"
        case ...(9 * AppleRules.day): "within-nine-days"
        default: "later"
        }
    }
}
