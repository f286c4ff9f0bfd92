import Attribution
import AttributionSigning
package import AttributionStore
import BoundedLogging
import Foundation
package import Logging
import Synchronization

/// Counts signed ads, and writes the sums to the store, or to a file in a process without one.
///
/// A line is numbered once and never changed: when it is not known to be written it is written again as it is, and a
/// store counts it once. What was counted since the last write is lost when the process is killed.
package final class SignedCounts: Sendable {
    /// The time between two writes.
    private static let interval = Duration.seconds(60)
    /// With so many sums they are written early.
    private static let manySums = 10_000

    private struct Sum {
        var count: Int64 = 0
        /// The first and the last second counted.
        var first = Int64.max
        var last = Int64.min

        /// Counts an ad; returns whether it is the first.
        mutating func add(_ second: Int64) -> Bool {
            count += 1
            first = min(first, second)
            last = max(last, second)
            return count == 1
        }
    }

    private struct State {
        /// The sums by day and campaign; a sum is of one day.
        var sums: [Int64: [SignedCampaign: Sum]] = [:]
        /// How many sums there are on all days.
        var count = 0
        /// Ads that there was no room to count, and that were not logged yet.
        var uncounted: Int64 = 0
        var sequence: Int64 = 0
        var writtenAt: ContinuousClock.Instant
        /// Whether the last write failed.
        var isFailing = false
        /// Damaged sums of the store that were logged.
        var damaged: Set<AdCostTable.Row> = []

        mutating func add(_ campaign: SignedCampaign, day: Int64, second: Int64, maximumSums: Int) {
            if count >= maximumSums, sums[day]?[campaign] == nil {
                uncounted += 1
                return
            }
            let isNew = sums[day, default: [:]][campaign, default: Sum()].add(second)
            count += isNew ? 1 : 0
        }
    }

    private enum Outcome {
        case written
        case failed
        /// Others write to the store.
        case busy
    }

    /// Where sums are written.
    package enum Destination: Sendable {
        /// A file that `skan import --impressions` reads.
        case file(String)
        /// The store of this process.
        case store(any AdCostWriting)

        /// Returns what became of them; nil if whoever does not wait has to try again.
        fileprivate func write(_ lines: [SignedImpressionCount], waits: Bool) throws -> SignedRecording? {
            switch self {
            case .file(let path):
                try CountsFile(path).append(lines.flatMap { Array($0.line.utf8) + [0x0A] })
                return SignedRecording()
            case .store(let store) where waits: return try store.addSigned(lines, of: .real)
            case .store(let store): return try store.addSignedUnlessBusy(lines)
            }
        }
    }

    private let destination: Destination
    private let maximumSums: Int
    private let writer: Nonce
    private let logger: Logger
    private let failures: FailureLog
    private let state: Mutex<State>
    /// Lines that are not known to be written; held while writing.
    private let lines = Mutex<[SignedImpressionCount]>([])

    /// Begins to count.
    package init(
        _ destination: Destination, maximumSums: Int = 100_000, at now: ContinuousClock.Instant, logger: Logger
    ) {
        self.destination = destination
        self.maximumSums = maximumSums
        self.logger = logger
        var generator = SystemRandomNumberGenerator()
        writer = Nonce(using: &generator)
        failures = FailureLog("signed impressions could not be written; they are written with the next", logger: logger)
        state = Mutex(State(writtenAt: now))
    }

    /// Counts the ads of a plan, each once.
    func add(_ plan: SigningPlan, at time: UnixMilliseconds) {
        let second = time.rawValue.dividedRoundingDown(by: 1_000)
        let campaigns = plan.ads.compactMap { SignedCampaign(plan.impressions[$0]) }
        let day = second.dividedRoundingDown(by: 86_400)
        state.withLock { state in
            for campaign in campaigns {
                state.add(campaign, day: day, second: second, maximumSums: maximumSums)
            }
        }
    }

    /// Writes the sums if a minute has passed; call it often, from a thread that may wait.
    package func heartbeat(at now: ContinuousClock.Instant) {
        let isDue = state.withLock { state in
            let isFull = state.count >= Self.manySums && !state.isFailing
            return isFull || now - state.writtenAt >= Self.interval
        }
        guard isDue else { return }
        logUncounted()
        // The connection is also that of recording, which must not wait for the imports of other nodes.
        let outcome = writeLines(waits: false)
        state.withLock { state in
            state.isFailing = outcome == .failed
            // While others write, the next heartbeat tries again.
            if outcome != .busy { state.writtenAt = now }
        }
    }

    /// Writes what was counted, and waits for others that write to the store.
    @discardableResult
    package func write() -> Bool {
        logUncounted()
        let outcome = writeLines(waits: true)
        state.withLock { $0.isFailing = outcome == .failed }
        return outcome == .written
    }

    private func logUncounted() {
        let uncounted = state.withLock { state in
            defer { state.uncounted = 0 }
            return state.uncounted
        }
        guard uncounted > 0 else { return }
        logger.error(
            "signed ads were not counted: too many campaigns wait to be written",
            metadata: ["ads": "\(uncounted)", "sums": "\(maximumSums)"])
    }

    /// Logs sums that nothing can be added to, each once.
    private func logDamaged(_ sums: Set<AdCostTable.Row>) {
        let new = state.withLock { state in
            defer { state.damaged.formUnion(sums) }
            return sums.subtracting(state.damaged)
        }
        guard !new.isEmpty else { return }
        logger.error(
            "signed impressions are not counted: the sums they belong to are damaged", metadata: ["sums": "\(new.text)"]
        )
    }

    private func writeLines(waits: Bool) -> Outcome {
        lines.withLock { lines in
            // First what could not be written before, as it is; then what was counted since.
            for isNew in [false, true] {
                if isNew { lines = takeLines() }
                guard !lines.isEmpty else { continue }
                do {
                    guard let recording = try destination.write(lines, waits: waits) else { return .busy }
                    logDamaged(recording.damaged)
                    lines = []
                } catch {
                    failures.note(error)
                    return .failed
                }
            }
            return .written
        }
    }

    private func takeLines() -> [SignedImpressionCount] {
        let (sums, first) = state.withLock { state in
            let first = state.sequence
            state.sequence += Int64(state.count)
            defer { (state.sums, state.count) = ([:], 0) }
            return (state.sums, first)
        }
        let all = sums.sorted { $0.key < $1.key }.flatMap(\.value)
        return all.enumerated().map { index, entry in
            SignedImpressionCount(
                campaign: entry.key, writer: writer, sequence: first + Int64(index) + 1,
                seconds: entry.value.first..<entry.value.last + 1, signed: entry.value.count)
        }
    }
}
