import Attribution
import AttributionReports
import AttributionServer
import AttributionStore
import Foundation

/// A store, and of one in a file its files and its disk; beside a running server or without one.
struct StoreCheck {
    let location: StoreLocation

    /// A day of two hundred postbacks a second, and a week of most networks.
    private static let roomy: Int64 = 10 << 30
    private static let scarce: Int64 = 256 << 20
    private static let longLog: Int64 = 512 << 20

    func run() async -> [Finding] {
        let reader = try? location.makeReader()
        defer { reader?.close() }
        let totals = try? await reader?.quarantineTotals()
        let found = await store() + [totals.map(quarantine)] + news(reader, totals ?? [])
        guard case .file(let path) = location else {
            return found.compactMap(\.self)
        }
        return (found + [log(path), disk()]).compactMap(\.self)
    }

    /// How many forged deliveries are in its quarantine; nil where it cannot be read.
    func forgedCount() async -> Int64? {
        guard let reader = try? location.makeReader() else {
            return nil
        }
        defer { reader.close() }
        return try? await reader.quarantineTotals().filter { $0.kind == .forged }.reduce(0) { $0 + $1.count }
    }

    private func store() async -> [Finding?] {
        do {
            let reader = try location.makeReader()
            defer { reader.close() }
            let answer = try await reader.answer(LedgerQuestion())
            return [figures(answer), networks(answer)]
        } catch StoreError.missing(let path) {
            return [.problem("store", "there is none at \(path)", cure: "skan serve --store \(path) makes it")]
        } catch {
            let failure = CommandFailure(explaining: error, help: "skan help doctor")
            return [.problem("store", failure.message, cure: "skan recount --store \(location.name) says more")]
        }
    }

    private func figures(_ answer: LedgerAnswer) -> Finding {
        guard answer.damaged.isEmpty, answer.unreadableCount == 0 else {
            return .warning(
                "store", "parts of \(location.name) are damaged",
                cure: "skan recount --store \(location.name) names them")
        }
        if let newest = answer.recordedAtMilliseconds, Double(newest) > (Date().timeIntervalSince1970 + 60) * 1000 {
            return .problem(
                "clock",
                "the newest postback was recorded at \(Moment(milliseconds: newest).text), which is to come",
                cure: "keep the clock right with NTP: postbacks are counted by when they are received")
        }
        let counted = answer.deliveries.count(.recorded, .apple)
        return .ok("store", "\(location.name) can be read, \(counted) of Apple's postbacks")
    }

    /// Whether the last server of the store was told which networks are ours; the store remembers them.
    private func networks(_ answer: LedgerAnswer) -> Finding? {
        guard answer.countsEveryNetwork else {
            return nil
        }
        return .warning(
            "networks", "every network's postbacks count as ours, and so do Apple's published samples",
            cure: "start skan serve with --network ID")
    }

    private func quarantine(_ totals: [QuarantineTotal]) -> Finding {
        let bytes = totals.reduce(0) { $0 + $1.bytes }
        let limit = QuarantineBudgets().totalBytes
        guard bytes > limit / 5 * 4 else {
            let count = totals.reduce(0) { $0 + $1.count }
            return .ok("quarantine", "\(count) deliveries, \(bytes >> 20) of \(limit >> 20) MiB")
        }
        return .warning(
            "quarantine", "nearly full: \(bytes >> 20) of \(limit >> 20) MiB",
            cure: "skan quarantine list --store \(location.name) shows what it is, and prune deletes")
    }

    /// Values that Apple may have added since this version was made, counted or kept.
    private func news(_ reader: (any LedgerReading)?, _ totals: [QuarantineTotal]) async -> [Finding] {
        guard let reader else {
            return []
        }
        var findings = ((try? await Reporter(reader).newValues()) ?? []).map { finding in
            Finding.warning(
                "values", String(finding.text.dropLast()), cure: "they are counted; upgrade to learn what it means")
        }
        if let count = totals.first(where: { $0.kind == .unknown })?.count, count > 0 {
            let first = try? await reader.quarantine(QuarantineQuery(kind: .unknown, limit: 1)).first
            findings.append(
                .warning(
                    "values",
                    "\(count) kept and not counted; the first \(first?.detail ?? "cannot be read")",
                    cure: "upgrade, then skan quarantine requeue --store \(location.name)"))
        }
        return findings
    }

    private func log(_ path: String) -> Finding? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        guard let size = (attributes?[.size] as? NSNumber)?.int64Value, size > Self.longLog else {
            return nil
        }
        return .warning(
            "log", "\(path)-wal has \(size >> 20) MiB, for something reads the store without end",
            cure: "end what reads it; the server then moves the log into the store")
    }

    private func disk() -> Finding? {
        guard let (folder, free, _) = location.disk else { return nil }
        if free < Self.scarce {
            return .problem("disk", "\(free >> 20) MiB free in \(folder)", cure: "make room: a full disk answers 503")
        }
        if free < Self.roomy {
            return .warning(
                "disk", "\(free >> 20) MiB free in \(folder)", cure: "a million postbacks take about a gigabyte")
        }
        return .ok("disk", "\(free >> 30) GiB free in \(folder)")
    }
}
