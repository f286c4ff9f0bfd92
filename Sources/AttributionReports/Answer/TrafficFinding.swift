package import Attribution
package import AttributionStore
import StrictJSON

/// Something about yesterday's traffic that a person should look at.
///
/// The rules and their thresholds are those of `contrib/prometheus/skan.rules.yaml`, over whole days.
package enum TrafficFinding: Hashable, Sendable {
    /// An app has less than half of its usual postbacks.
    case drought(app: String, count: Int64, usual: Double)
    /// More of an app's postbacks than usual have no conversion value.
    case missingValues(app: String, share: Double, usual: Double)
    /// Conversion values of an app that are out of range, or fine and coarse at once.
    case invalidValues(app: String, count: Int64)
    /// Signatures that do not verify.
    case forged(count: Int64, received: Int64)
    /// Postbacks of a version or key that this release does not know.
    case unknown(count: Int64)
    /// Postbacks that verify, with signed values that this release does not know.
    case notUnderstood(count: Int64)
    /// Postbacks that count, with a value that this release does not know, since some day.
    case newValue(dimension: ReportDimension, value: String, count: Int64, since: CalendarDay)
    /// Copies that differ from the one that counts.
    case conflicts(count: Int64)

    /// How many days yesterday is compared with.
    package static let week: Int64 = 7
    private static let fewPostbacks = 20.0
    private static let manyPostbacks: Int64 = 100
    private static let fewDeliveries: Int64 = 20
    private static let fewDifferences: Int64 = 10

    /// The findings, worst first, from postbacks by day and app, of yesterday and of the ``week`` before it.
    package static func all(
        _ rows: some Sequence<LedgerRow>,
        _ deliveries: DeliveryCounts,
        _ traffic: Traffic,
        yesterday: CalendarDay
    ) -> [Self] {
        var apps: [String: (yesterday: Figures, before: Figures)] = [:]
        for row in rows where row.values.count == 2 {
            var app = apps[row.values[1]] ?? (Figures(), Figures())
            if row.values[0] == yesterday.description {
                app.yesterday.add(row.counts)
            } else {
                app.before.add(row.counts)
            }
            apps[row.values[1]] = app
        }
        let byName = apps.sorted { OrderedValue($0.key) < OrderedValue($1.key) }
        return of(deliveries, traffic) + byName.flatMap { of($0.key, $0.value.yesterday, $0.value.before) }
    }

    /// The values that this release does not know, from postbacks by day and ``Attribution/ReportDimension/open``.
    package static func newValues(_ rows: some Sequence<LedgerRow>) -> [Self] {
        ReportDimension.open.enumerated().flatMap { index, dimension in
            var found: [String: (count: Int64, since: CalendarDay)] = [:]
            for row in rows where dimension.field(unknown: row.values[index + 1]) != nil {
                guard let day = CalendarDay(row.values[0]) else {
                    continue
                }
                let known = found[row.values[index + 1]] ?? (0, day)
                found[row.values[index + 1]] = (known.count + row.counts[.postbacks], min(known.since, day))
            }
            return found.sorted { OrderedValue($0.key) < OrderedValue($1.key) }.map { value, seen in
                Self.newValue(dimension: dimension, value: value, count: seen.count, since: seen.since)
            }
        }
    }

    private static func of(_ deliveries: DeliveryCounts, _ traffic: Traffic) -> [Self] {
        var findings: [Self] = []
        let unknown = deliveries.quarantined(.unknownVersion) + deliveries.quarantined(.unknownKey)
        if unknown > 0 {
            findings.append(.unknown(count: unknown))
        }
        let notUnderstood = deliveries.quarantined(.notUnderstood)
        if notUnderstood > 0 {
            findings.append(.notUnderstood(count: notUnderstood))
        }
        let forged = deliveries.quarantined(.invalidSignature)
        if forged > fewDeliveries, forged * 20 > deliveries.received {
            findings.append(.forged(count: forged, received: deliveries.received))
        }
        let conflicts = deliveries.count(.conflict, traffic)
        if conflicts > fewDifferences {
            findings.append(.conflicts(count: conflicts))
        }
        return findings
    }

    private static func of(_ app: String, _ yesterday: Figures, _ before: Figures) -> [Self] {
        var findings: [Self] = []
        let usual = Double(before.postbacks) / Double(week)
        if usual > fewPostbacks, Double(yesterday.postbacks) < usual / 2 {
            findings.append(.drought(app: app, count: yesterday.postbacks, usual: usual))
        }
        if yesterday.installs > manyPostbacks, before.installs > 0 {
            let share = Double(yesterday.missing) / Double(yesterday.installs)
            let usual = Double(before.missing) / Double(before.installs)
            if share > usual * 1.5 {
                findings.append(.missingValues(app: app, share: share, usual: usual))
            }
        }
        if yesterday.invalid > fewDifferences {
            findings.append(.invalidValues(app: app, count: yesterday.invalid))
        }
        return findings
    }

    /// What is compared of an app.
    private struct Figures {
        var postbacks: Int64 = 0
        var installs: Int64 = 0
        var missing: Int64 = 0
        var invalid: Int64 = 0

        mutating func add(_ counts: Counts) {
            postbacks += counts[.postbacks]
            installs += counts[.installs]
            missing += counts[.conversion(.null)] + counts[.conversion(.absent)]
            invalid += counts[.conversion(.invalid)]
        }
    }
}

extension TrafficFinding {
    /// What there is to see, and what to do.
    package var text: String {
        switch self {
        case .drought(let app, let count, let usual):
            "App \(app) had \(count) postbacks yesterday; a usual day has \(usual.fixed(places: 0)). A campaign may have "
                + "ended, or publishers lost our network id."
        case .missingValues(let app, let share, let usual):
            "App \(app): \(Self.percent(share)) of yesterday's installs have no conversion value; usually "
                + "\(Self.percent(usual)) have none. Campaigns may be too small for Apple's crowds, or the app sets no values."
        case .invalidValues(let app, let count):
            "App \(app): \(count) of yesterday's conversion values are invalid. Apple does not sign them; somebody between "
                + "device and server changes them."
        case .forged(let count, let received):
            "\(count) of yesterday's \(received) deliveries do not verify. The quarantine shows them, and skan verify "
                + "--explain says why."
        case .unknown(let count):
            "\(count) of yesterday's deliveries have a version or key that this release does not know. They are kept: "
                + "upgrade, then requeue them."
        case .notUnderstood(let count):
            "\(count) of yesterday's deliveries verify, but have signed values that this release does not know. They are "
                + "kept: upgrade, then requeue them."
        case .newValue(let dimension, let value, let count, let since):
            "\(count) postback\(count == 1 ? "" : "s") since \(since) \(count == 1 ? "has" : "have") "
                + "\(dimension.field(unknown: value)?.rawValue ?? dimension.rawValue) \(value.shortened(to: 60)), which this "
                + "version does not know."
        case .conflicts(let count):
            "\(count) of yesterday's copies differ from the one that counts in fields that are not signed."
        }
    }

    private static func percent(_ share: Double) -> String {
        (share * 100).fixed(places: 1) + " %"
    }
}
