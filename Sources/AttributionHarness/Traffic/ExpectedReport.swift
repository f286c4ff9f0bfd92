package import Attribution
package import StrictJSON

/// The report that a scenario's deliveries must give, counted from what devices sent by rules independent of the store.
///
/// A figure is named after its path in a report's JSON, such as `row 2026-10-02 525463029: installs`.
package struct ExpectedReport: Sendable {
    /// The breakdowns that are compared with the server's.
    package static let views: [[ReportDimension]] = [
        [.day, .network, .app], [.framework, .version, .fidelity, .sequenceIndex],
        [.app, .campaignID, .sourceIdentifier],
        [.sourceApp, .sourceDomain], [.conversionType, .redownload, .interactionType], [.marketplace, .country],
        [.recipient, .app],
    ]

    private let scenario: Scenario
    private let start: CalendarDay
    /// The number of recorded postbacks with the same content on the same day; their ids are 0 and their time is the day.
    private var postbacks: [SimulatedPostback: Int64] = [:]
    private var deliveries: [CalendarDay: ExpectedDeliveries] = [:]

    init(_ scenario: Scenario, start: CalendarDay) {
        self.scenario = scenario
        self.start = start
    }

    /// How many deliveries were counted, refused ones included.
    package var deliveryCount: Int64 {
        deliveries.values.reduce(0) { $0 + $1.figures["received", default: 0] + $1.refused }
    }

    mutating func count(_ delivery: PlannedDelivery) {
        let day = delivery.time / AppleRules.day
        deliveries[start.advanced(by: day), default: ExpectedDeliveries()].count(delivery)
        if case .first(var postback) = delivery.part {
            postback.time = day
            postback.otherCopyAt = nil
            postback.idHigh = 0
            postback.idLow = 0
            postback.flags.remove(.isInCapitals)
            postbacks[postback, default: 0] += 1
        }
    }

    /// The days on which something was delivered.
    package var days: [CalendarDay] {
        deliveries.keys.sorted()
    }

    /// The figures of a breakdown and the totals, by name; a figure of 0 may be missing.
    package func figures(by dimensions: [ReportDimension]) -> [String: Int64] {
        var rows: [String: ExpectedCounts] = [:]
        var totals = ExpectedCounts()
        for (postback, count) in postbacks {
            let key = dimensions.map { value(of: $0, postback) ?? "–" }.joined(separator: " ")
            rows[key, default: ExpectedCounts()].count(postback, times: count)
            totals.count(postback, times: count)
        }
        var figures: [String: Int64] = [:]
        for (name, count) in totals.figures {
            figures["totals: \(name)"] = count
        }
        for (key, counts) in rows {
            for (name, count) in counts.figures {
                figures["row \(key): \(name)"] = count
            }
        }
        return figures
    }

    /// The figures of the deliveries of a day, or of all days, by name.
    ///
    /// How late repeats came is known only to a store that was given the times of the scenario.
    package func deliveryFigures(on day: CalendarDay? = nil, withRepeats: Bool) -> [String: Int64] {
        var figures: [String: Int64] = [:]
        for (other, counts) in deliveries where day == nil || other == day {
            for (name, count) in counts.figures where withRepeats || !name.hasPrefix("repeats ") {
                figures["deliveries: \(name)", default: 0] += count
            }
        }
        return figures
    }

    private func value(of dimension: ReportDimension, _ postback: SimulatedPostback) -> String? {
        let values = postback.values(in: scenario)
        switch dimension {
        case .day: return start.advanced(by: postback.time).description
        case .framework: return postback.version == .adAttributionKit ? "adattributionkit" : "skadnetwork"
        case .network: return values.adNetworkID
        case .app: return String(values.appID)
        case .campaignID: return values.campaignID.map { String($0) }
        case .sourceIdentifier: return values.sourceIdentifier
        case .sourceApp: return values.sourceApp.map { String($0) }
        case .sourceDomain: return values.sourceDomain
        case .version: return postback.version.skAdNetwork.map(\.rawValue)
        case .fidelity: return values.fidelity.map { String($0) }
        case .redownload: return values.redownload.map { String($0) }
        case .sequenceIndex: return values.sequenceIndex.map { String($0) }
        case .conversionType: return values.conversionType
        case .marketplace: return values.marketplace
        case .country: return values.country
        case .interactionType: return values.interaction
        case .recipient: return postback.flags.contains(.isDeveloperFirst) ? "developer" : "network"
        case .hour, .week, .month, .installDays, .installDayEstimate, .conversionValue, .impressionType: return nil
        }
    }

    /// The figures as one JSON object.
    package var json: JSONText {
        func object(_ figures: [String: Int64]) -> JSONText {
            .object(figures.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
        }
        return .object([
            ("schema", .string("skan.expected/1")), ("scenario", .string(scenario.name)),
            ("from", .string(start.description)),
            (
                "views",
                .array(
                    Self.views.map { view in
                        .object([
                            ("by", .array(view.map { .string($0.rawValue) })), ("figures", object(figures(by: view))),
                        ])
                    })
            ),
            ("deliveries", object(deliveryFigures(withRepeats: true))),
        ])
    }
}

/// The columns of a report on some postbacks.
private struct ExpectedCounts {
    private(set) var figures: [String: Int64] = [:]

    /// Counts postbacks with the same content.
    mutating func count(_ postback: SimulatedPostback, times: Int64) {
        func add(_ name: String) {
            figures[name, default: 0] += times
        }
        let hasVerdict = postback.version >= .v3_0
        add("postbacks")
        if hasVerdict, !postback.flags.contains(.didWin) {
            add("losses")
            add("decided")
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
            add("decided")
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

/// The deliveries of a day by outcome.
private struct ExpectedDeliveries {
    /// The number of those refused as not JSON, which no report shows.
    private(set) var refused: Int64 = 0
    /// The figures by name.
    private(set) var figures: [String: Int64] = [:]

    mutating func count(_ delivery: PlannedDelivery) {
        switch delivery.expectation {
        case .durable(.quarantined, let reason?):
            add("quarantined total")
            add("quarantined \(reason.rawValue)")
        case .durable(let status, _):
            let isDevelopment = if case .development = delivery.part { true } else { false }
            add("\(isDevelopment ? "development" : "test") \(status.rawValue)")
            if status == .duplicate {
                add("repeats \(Self.lateness(delivery.time - delivery.firstAt))")
            }
        case .refused:
            refused += 1
            return
        case .none:
            return
        }
        add("received")
        if delivery.recipient == .developer {
            add("developer-copies")
        }
        if case .otherRecipient = delivery.part {
            add("also-from-another-recipient")
        }
    }

    private mutating func add(_ name: String) {
        figures[name, default: 0] += 1
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
