package import Attribution
package import StrictJSON

/// What reports must say of a scenario's deliveries: counted from what the devices sent, by rules of its own.
///
/// A figure is named by where a report in JSON has it, such as `row 2026-10-02 525463029: installs`.
package struct ExpectedReport: Sendable {
    /// The breakdowns that are held against the server's, from the whole to its parts.
    package static let views: [[ReportDimension]] = [
        [.day, .network, .app], [.framework, .version, .fidelity, .sequenceIndex],
        [.app, .campaignID, .sourceIdentifier],
        [.sourceApp, .sourceDomain], [.conversionType, .redownload, .interactionType], [.marketplace, .country],
        [.recipient, .app],
    ]

    private let scenario: Scenario
    private let start: CalendarDay
    /// How many recorded postbacks say the same on the same day: their ids are 0 and their time is the day.
    private var postbacks: [SimulatedPostback: Int64] = [:]
    private var deliveries: [CalendarDay: ExpectedDeliveries] = [:]

    /// Makes a report of nothing.
    init(_ scenario: Scenario, start: CalendarDay) {
        self.scenario = scenario
        self.start = start
    }

    /// How many deliveries were counted, refused ones included.
    package var deliveryCount: Int64 {
        deliveries.values.reduce(0) { $0 + $1.figures["received", default: 0] + $1.refused }
    }

    /// How many postbacks were recorded.
    package var recordedCount: Int64 {
        postbacks.values.reduce(0, +)
    }

    mutating func count(_ timed: TimedDelivery) {
        let day = timed.time / AppleRules.day
        deliveries[start.advanced(by: day), default: ExpectedDeliveries()].count(timed)
        if case .first(var postback) = timed.part {
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

    /// The figures of a breakdown, and of the whole.
    ///
    /// - Parameter dimensions: What it is by.
    /// - Returns: The figures by their names; a figure that is 0 may be left out.
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

    /// The figures of deliveries.
    ///
    /// - Parameters:
    ///   - day: Those of a day; nil for all.
    ///   - withRepeats: Whether with how late repeats came, which only a store knows that was given the times.
    /// - Returns: The figures by their names.
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
        case .hour, .week, .month, .conversionValue: return nil
        }
    }

    /// The figures as one JSON object, for a file.
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
