import Attribution
import AttributionSigning
package import AttributionStore
import Foundation
package import Logging
import Platform
import Synchronization

/// Counts signed ads, and writes the sums to the store, or to a file in a process without one.
///
/// A sum of a day and a campaign has one number and only grows: it is written again, whole, when it has grown or when it
/// is not known to be written, and a store keeps the greatest. What was counted since the last write is lost when the
/// process is killed.
package final class SignedCounts: Sendable {
    /// The time between two writes.
    private static let interval = Duration.seconds(60)
    /// With so many sums that wait they are written early, and with so many that are written these are forgotten.
    private static let manySums = 10_000

    private struct Key: Hashable {
        let day: Int64
        let campaign: SignedCampaign
    }

    private struct Sum {
        /// Its number among those of this process.
        let sequence: Int64
        var count: Int64 = 0
        /// The first and the last second counted.
        var first = Int64.max
        var last = Int64.min
    }

    private struct State {
        /// Sums that are not known to be written as they are.
        var pending: [Key: Sum] = [:]
        /// Sums that are, and may grow.
        var written: [Key: Sum] = [:]
        /// Ads that there was no room to count, and that were not logged yet.
        var uncounted: Int64 = 0
        var sequence: Int64 = 0
        var writtenAt: ContinuousClock.Instant
        /// Whether the last write failed.
        var isFailing = false

        mutating func add(_ key: Key, second: Int64, maximumSums: Int) {
            guard pending[key] != nil || pending.count < maximumSums else {
                uncounted += 1
                return
            }
            var sum = pending[key] ?? written.removeValue(forKey: key) ?? newSum()
            sum.count += 1
            sum.first = min(sum.first, second)
            sum.last = max(sum.last, second)
            pending[key] = sum
        }

        private mutating func newSum() -> Sum {
            sequence += 1
            return Sum(sequence: sequence)
        }

        /// Notes sums that were written; those that have grown since are still to be written.
        mutating func note(written sums: [Key: Sum]) {
            let day = sums.keys.map(\.day).max() ?? 0
            written = written.filter { $0.key.day >= day }
            for (key, sum) in sums where pending[key]?.count == sum.count {
                pending[key] = nil
                // Of an earlier day hardly anything comes any more; it would be a sum of its own.
                written[key] = key.day < day ? nil : sum
            }
            if written.count > SignedCounts.manySums {
                written = [:]
            }
        }
    }

    /// Where sums are written.
    package enum Destination: Sendable {
        /// A file that `skan import --impressions` reads.
        case file(String)
        /// The store of this process.
        case store(any AdCostWriting)

        fileprivate func write(_ lines: [SignedImpressionCount]) throws {
            switch self {
            case .file(let path): try CountsFile(path).append(lines.flatMap { Array($0.line.utf8) + [0x0A] })
            case .store(let store): try store.addSigned(lines, of: .real)
            }
        }
    }

    private let destination: Destination
    private let maximumSums: Int
    private let writer: Nonce
    private let logger: Logger
    private let failures: FailureLog
    private let state: Mutex<State>
    /// Held while writing.
    private let writing = Mutex(())

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
                state.add(Key(day: day, campaign: campaign), second: second, maximumSums: maximumSums)
            }
        }
    }

    /// Writes the sums if a minute has passed; call it often, from a thread that may wait.
    package func heartbeat(at now: ContinuousClock.Instant) {
        let isDue = state.withLock { state in
            let isFull = state.pending.count >= Self.manySums && !state.isFailing
            return isFull || now - state.writtenAt >= Self.interval
        }
        if isDue {
            write()
            state.withLock { $0.writtenAt = now }
        }
    }

    /// Writes what was counted.
    @discardableResult
    package func write() -> Bool {
        let uncounted = state.withLock { state in
            defer { state.uncounted = 0 }
            return state.uncounted
        }
        if uncounted > 0 {
            logger.error(
                "signed ads were not counted: too many campaigns wait to be written",
                metadata: ["ads": "\(uncounted)", "sums": "\(maximumSums)"])
        }
        return writing.withLock { _ in
            let sums = state.withLock { $0.pending }
            guard !sums.isEmpty else {
                return true
            }
            do {
                try destination.write(lines(sums))
                state.withLock { state in
                    state.isFailing = false
                    state.note(written: sums)
                }
                return true
            } catch {
                state.withLock { $0.isFailing = true }
                failures.note(error)
                return false
            }
        }
    }

    private func lines(_ sums: [Key: Sum]) -> [SignedImpressionCount] {
        sums.sorted { $0.value.sequence < $1.value.sequence }.map { key, sum in
            SignedImpressionCount(
                campaign: key.campaign, writer: writer, sequence: sum.sequence, seconds: sum.first..<sum.last + 1,
                signed: sum.count)
        }
    }
}
