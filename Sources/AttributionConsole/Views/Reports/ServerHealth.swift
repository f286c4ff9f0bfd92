package import AttributionStore
import StrictJSON

/// What is known about the server without asking the store.
package struct ServerHealth: Sendable {
    /// Now, in Unix milliseconds.
    package var nowMilliseconds: Int64
    /// When the process was started, in Unix milliseconds; nil if unknown.
    package var startedAtMilliseconds: Int64?
    /// The store, without secrets.
    package var store: String
    /// Whether postbacks can be recorded.
    package var recording: StoreHealth
    /// Whether the figures that concern all networks are here.
    private(set) var hasFigures = true
    /// When one was last recorded, in Unix milliseconds; nil if unknown.
    package var lastRecordedAtMilliseconds: Int64?
    /// Deliveries a second during the last minute; nil until that is known.
    package var deliveriesPerSecond: Double?
    /// Answers of the public listener since the process was started, by status, as text; nil if unknown.
    package var answers: [(status: String, count: Int64)]?
    /// Bodies that wait for the writer.
    package var waiting: Int?
    /// The sizes of the store's parts in bytes.
    package var parts: [(name: String, bytes: Int64)]
    /// The free bytes of the store's file system, and all of them.
    package var disk: (free: Int64, all: Int64)?
    /// When the certificate of the public listener ends, in Unix milliseconds; nil without TLS.
    package var certificateEndMilliseconds: Int64?
    /// Whether no networks were named as ours, so that everything counts that verifies.
    package var countsEveryNetwork = false
    /// What is wrong with external signers, each a clause.
    package var signerProblems: [String] = []

    package init(nowMilliseconds: Int64, store: String, recording: StoreHealth) {
        self.nowMilliseconds = nowMilliseconds
        self.store = store
        self.recording = recording
        parts = []
    }
}

extension ServerHealth {
    /// The health without the figures that concern all networks.
    package var withoutFigures: ServerHealth {
        var health = ServerHealth(nowMilliseconds: nowMilliseconds, store: "", recording: recording)
        health.hasFigures = false
        health.startedAtMilliseconds = startedAtMilliseconds
        health.certificateEndMilliseconds = certificateEndMilliseconds
        return health
    }

    /// What an operator has to look at, worst first.
    package var findings: [(mood: HTML.Mood, text: String)] {
        var findings: [(mood: HTML.Mood, text: String)] = []
        if let reason = recording.reason {
            findings.append((.bad, "Postbacks cannot be recorded: \(reason)." + Self.hint(recording.hint)))
        }
        findings += signerProblems.map { (.bad, "\($0.capitalizedFirst). \(Self.signerHint)") }
        if let end = certificateEndMilliseconds {
            let days = Duration.milliseconds(end - nowMilliseconds).wholeDays
            if end <= nowMilliseconds {
                findings.append((.bad, "The TLS certificate has expired: devices cannot connect."))
            } else if days < 14 {
                findings.append((.uncertain, "The TLS certificate ends in \(Self.days(days))."))
            }
        }
        if let disk {
            let share = Double(disk.free) / Double(max(disk.all, 1))
            if share < 0.05 {
                findings.append((.bad, "The disk of the store is nearly full: \(disk.free.bytes) are free."))
            } else if share < 0.15 {
                findings.append((.uncertain, "The disk of the store fills: \(disk.free.bytes) are free."))
            }
        }
        if hasFigures, countsEveryNetwork {
            findings.append(
                (
                    .uncertain,
                    "Without --network every network's postbacks count as ours, and so do Apple's published samples. "
                        + "Start the server with --network ID."
                ))
        }
        if hasFigures, lastRecordedAtMilliseconds == nil, recording == .ready {
            findings.append((.uncertain, "No postback has been recorded yet."))
        }
        return findings
    }

    private static let signerHint = "Requests that need them are refused; skan doctor says more."

    private static func hint(_ hint: String?) -> String {
        hint.map { " " + $0.capitalizedFirst + "." } ?? ""
    }

    private static func days(_ days: Int64) -> String {
        days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
    }
}

extension Duration {
    var wholeDays: Int64 {
        components.seconds / 86_400
    }
}

extension Int64 {
    /// A size in bytes, in the largest unit that leaves a whole number, with one decimal.
    var bytes: String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var (value, unit) = (Double(self), 0)
        while value >= 1_024, unit < units.count - 1 {
            value /= 1_024
            unit += 1
        }
        return (unit == 0 ? grouped : value.fixed(places: 1)) + " " + units[unit]
    }

    /// A time span in words: the largest unit alone, rounded down.
    var spanOfMilliseconds: String {
        let seconds = Swift.max(self, 0) / 1_000
        let (count, unit): (Int64, String) =
            switch seconds {
            case ..<120: (seconds, "second")
            case ..<7_200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3_600, "hour")
            default: (seconds / 86_400, "day")
            }
        return "\(count.grouped) \(unit)\(count == 1 ? "" : "s")"
    }
}
