import FoundationEssentials
package import Logging
import Platform
import StrictJSON
import Synchronization

/// When each token of a list was last used, stored in a separate file beside the list.
///
/// Only `skan tokens` writes the list, so that recording a use can never restore a revoked token. The file is written
/// at most once a minute; later uses are lost when the process is killed.
package final class AccessUses: Sendable {
    /// The minimum time between two writes.
    package static let interval = Duration.seconds(60)
    /// 256 tokens take about 10 KiB.
    private static let limit = 64 << 10

    private struct State {
        /// Unix seconds by token id.
        var seconds: [String: Int64] = [:]
        var isChanged = false
        var savedAt: ContinuousClock.Instant?
        var hasFailed = false
    }

    private let file: AccessFile
    private let logger: Logger
    private let state = Mutex(State())

    /// The file of uses that belongs to a list.
    package static func path(besideList list: String) -> String {
        list + "-uses"
    }

    /// Names the file beside a list.
    package init(of list: AccessFile, logger: Logger) {
        file = AccessFile(Self.path(besideList: list.path))
        self.logger = logger
    }

    /// Notes that a token was used.
    func note(_ id: String, at now: Date) {
        let seconds = Int64(now.timeIntervalSince1970)
        state.withLock { state in
            guard state.seconds[id, default: .min] < seconds else { return }
            state.seconds[id] = seconds
            state.isChanged = true
        }
    }

    /// When each token was last used, in Unix seconds by id, as far as it is known: by this process or in the file.
    var current: [String: Int64] {
        let noted = state.withLock { $0.seconds }
        return (try? load())?.merging(noted) { max($0, $1) } ?? noted
    }

    /// Writes the uses of these tokens if any was noted and the last write is long enough ago, or there is no instant.
    func save(_ ids: Set<String>, at instant: ContinuousClock.Instant?) {
        let noted = state.withLock { state -> [String: Int64]? in
            if let instant, let savedAt = state.savedAt, instant < savedAt.advanced(by: Self.interval) { return nil }
            guard state.isChanged else { return nil }
            state.isChanged = false
            state.savedAt = instant ?? state.savedAt
            return state.seconds
        }
        guard let noted else { return }
        // Another server may use the same list.
        let merged = (try? load())?.merging(noted) { max($0, $1) } ?? noted
        let kept = merged.filter { ids.contains($0.key) }
        do throws(AccessProblem) {
            try file.replace(with: Self.document(kept))
            state.withLock { $0.hasFailed = false }
        } catch {
            let isFirst = state.withLock { state in
                defer { (state.hasFailed, state.isChanged) = (true, true) }
                return !state.hasFailed
            }
            if isFirst {
                logger.warning(
                    "the last uses of tokens cannot be saved; skan tokens list shows older ones or none",
                    error: error)
            }
        }
    }

    /// Reads when each token was last used, in Unix seconds by id; empty when there is no file yet.
    package func load() throws(AccessProblem) -> [String: Int64] {
        guard file.currentStamp() != nil else { return [:] }
        let bytes: [UInt8]
        do throws(CheckedFile.Problem) {
            bytes = try CheckedFile(file.path).bytes(limit: Self.limit)
        } catch {
            throw AccessProblem(error, file: file.path)
        }
        guard let texts = try? JSONDecoder().decode([String: String].self, from: Data(bytes)) else {
            throw .malformed(file: file.path, reason: "expected {\"ID\": \"2026-01-31T12:00:00Z\"}")
        }
        return texts.compactMapValues { text in
            (try? Date(text, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
        }
    }

    private static func document(_ uses: [String: Int64]) -> String {
        let members = uses.sorted { $0.key < $1.key }.map { id, seconds in
            (id, JSONText.string(Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)))
        }
        return JSONText.object(members).pretty + "\n"
    }
}
