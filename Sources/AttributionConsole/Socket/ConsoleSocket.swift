package import Attribution
import AttributionListener
package import AttributionStore
import FoundationEssentials
package import Logging
package import Metrics
import NIOCore
import ServiceLifecycle
import StrictJSON

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The console's routes on a Unix socket beside the store, for commands that change a store this process owns.
///
/// It has no tokens: only the user who runs the server can open it, and may do everything.
package struct ConsoleSocket: Service {
    private let console: Console
    private let path: String
    private let logger: Logger

    /// The largest body of a request: what a file of spend may be that is recorded in one transaction.
    package static let bodyLimit = 32 << 20

    /// Where the owner of a store listens, whose path has its links resolved.
    package static func path(besideStore store: String) -> String {
        store + "-socket"
    }

    /// Checks that a server can make its socket beside a store, which may not exist yet.
    ///
    /// - Throws: An error with a code if something else is there.
    package static func check(besideStore store: String) throws {
        try SocketFile.check(path(besideStore: store))
    }

    /// Makes the service; the store's lease must be held while it runs.
    package init(
        routes: [any ConsoleRoutes],
        store: String,
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        let path = Self.path(besideStore: store)
        self.path = path
        self.logger = logger
        console = Console(
            routes: routes, access: nil, address: .socket(path: path, isLeased: true), limits: .consoleSocket,
            logger: logger,
            metricsFactory: metricsFactory
        ) { [logger] _ in
            logger.info("listening for commands", metadata: ["socket": "\(path)"])
        }
    }

    /// Serves until a graceful shutdown; if the socket cannot be made, the server runs without it.
    package func run() async throws {
        do {
            try await console.run()
        } catch let error as SocketError {
            logger.error(
                "commands cannot reach this server: quarantine requeue, import --spend and others will not work",
                error: error, metadata: ["socket": "\(path)"])
            try await gracefulShutdown()
        }
    }
}

/// Asks the process that owns a store to change it, at the socket beside the store.
package struct OwnerClient: Sendable {
    private let store: String

    /// A repair reads the whole store twice: some minutes for ten million postbacks.
    private static let timeout = Duration.seconds(7_200)
    private static let longestAnswer = 64 << 20

    package init(store: String) {
        self.store = store
    }

    /// Judges deliveries of the quarantine again, with the keys the owner trusts.
    ///
    /// - Throws: ``OwnerProblem``.
    package func requeue(_ query: QuarantineQuery) async throws -> Requeued {
        struct Answer: Decodable {
            let judged: Int64
            let recorded: Int64
            let duplicate: Int64
            let conflict: Int64
            let stayed: Int64
        }
        let answer = try await ask(.requeue, query.json, for: Answer.self)
        var requeued = Requeued()
        requeued.judged = answer.judged
        requeued.recorded = answer.recorded
        requeued.duplicate = answer.duplicate
        requeued.conflict = answer.conflict
        requeued.stayed = answer.stayed
        return requeued
    }

    /// Deletes deliveries from the quarantine for good.
    ///
    /// - Throws: ``OwnerProblem``.
    package func prune(_ query: QuarantineQuery) async throws -> Int64 {
        struct Answer: Decodable {
            let deleted: Int64
        }
        return try await ask(.prune, query.json, for: Answer.self).deleted
    }

    /// Counts everything again and repairs what is derived from the raw bytes.
    ///
    /// - Throws: ``OwnerProblem``.
    package func repair() async throws -> RecountOutcome {
        try await ask(.recount, .object(["repair": .bool(true)]), for: RecountOutcome.self)
    }

    /// Takes lines of signed impressions in one transaction, and returns how many were new.
    ///
    /// - Throws: ``OwnerProblem``.
    package func addSigned(_ lines: [SignedImpressionCount], of ads: AdTraffic) async throws -> Int {
        guard !lines.isEmpty else {
            return 0
        }
        let body = lines.map { $0.line + "\n" }.joined()
        let answer = try await exchange(
            .costs, query: "?kind=impressions&ads=\(ads.rawValue)", Array(body.utf8), .ndjson)
        return try decoded(accepted(answer), as: CostAnswer.self).new
    }

    /// Records spend in one transaction, all of it or nothing.
    ///
    /// - Throws: ``OwnerProblem``, also for more than ``ConsoleSocket/bodyLimit`` bytes.
    package func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) async throws -> SpendRecording {
        let body = Array(spend.lines.utf8)
        guard body.count <= ConsoleSocket.bodyLimit else {
            throw OwnerProblem.refused(
                Refusal(
                    .bodyTooLarge,
                    "\(spend.count) amounts take \(body.count) bytes, of which a running server takes at most "
                        + "\(ConsoleSocket.bodyLimit) at once",
                    hint: "split the file, each part of which is recorded whole; or stop the server and import it"))
        }
        let answer = try await exchange(
            .costs, query: "?kind=spend&ads=\(ads.rawValue)&replace=\(replaces)", body, .ndjson)
        var recording = SpendRecording()
        if let contradiction = try? JSONDecoder().decode(CostContradiction.self, from: Data(answer.body)) {
            recording.conflicts = contradiction.conflicts.compactMap { conflict in
                Money(conflict.amount).map { .init(index: conflict.line - 1, amount: $0) }
            }
            guard !recording.conflicts.isEmpty else {
                throw unreadable
            }
            return recording
        }
        let counts = try decoded(accepted(answer), as: CostAnswer.self)
        (recording.new, recording.replaced, recording.known) = (counts.new, counts.replaced, counts.known)
        return recording
    }

    private struct CostAnswer: Decodable {
        let new: Int
        let replaced: Int
        let known: Int
    }

    private struct CostContradiction: Decodable {
        struct Conflict: Decodable {
            let line: Int
            let amount: String
        }

        let conflicts: [Conflict]
    }

    /// Pauses a destination, or lets it go on.
    ///
    /// - Throws: ``OwnerProblem``.
    package func setState(of name: String, to state: DestinationState) async throws {
        let body = JSONText.object(["name": .string(name), "state": .string(state.rawValue)])
        _ = try await accepted(exchange(.destinations, query: "", Array(body.line.utf8), .json))
    }

    /// Issues web ads.
    ///
    /// - Throws: ``OwnerProblem``.
    package func issue(_ request: WebAdRequest, count: Int, issuedAtMilliseconds: Int64?) async throws -> [String] {
        var lines: [String] = []
        while lines.count < count {
            let pageCount = min(count - lines.count, WebAdRoutes.maximumCount)
            let time = issuedAtMilliseconds.map { "&issued-at=\($0)" } ?? ""
            let answer = try await accepted(
                exchange(
                    .webAds, query: "?count=\(pageCount)\(time)", Array(request.json.line.utf8), .json))
            let issued = answer.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            guard issued.count == pageCount else {
                throw OwnerProblem.cutShort(store: store)
            }
            lines += issued
        }
        return lines
    }

    private func ask<Answer: Decodable>(_ route: ConsoleRoute, _ body: JSONText, for: Answer.Type) async throws
        -> Answer
    {
        try await decoded(accepted(exchange(route, query: "", Array(body.line.utf8), .json)), as: Answer.self)
    }

    private func decoded<Answer: Decodable>(_ body: [UInt8], as: Answer.Type) throws(OwnerProblem) -> Answer {
        guard let decoded = try? JSONDecoder().decode(Answer.self, from: Data(body)) else {
            throw unreadable
        }
        return decoded
    }

    private var unreadable: OwnerProblem {
        .noAnswer(store: store, reason: "its answer is not one of this release of skan")
    }

    /// Sends a request and takes the whole answer.
    private func exchange(
        _ route: ConsoleRoute, query: String, _ body: [UInt8], _ mediaType: IngressMediaType
    ) async throws -> HTTPClient.Answer {
        let answer: HTTPClient.Answer
        do {
            let request = try HTTPClient.Request(
                url: "http://localhost" + route.definition.path + query,
                socket: ConsoleSocket.path(besideStore: store), json: .whole(body), mediaType: mediaType)
            answer = try await HTTPClient().send(request, keeping: Self.longestAnswer, within: Self.timeout)
        } catch {
            throw problem(error)
        }
        guard answer.isWhole else {
            throw OwnerProblem.cutShort(store: store)
        }
        return answer
    }

    /// The body of an answer, which must be 200.
    private func accepted(_ answer: HTTPClient.Answer) throws(OwnerProblem) -> [UInt8] {
        guard answer.status == 200 else {
            throw Self.refusal(answer.status, answer.body)
        }
        return answer.body
    }

    private func problem(_ error: any Error) -> OwnerProblem {
        // The system's message where there is one; those of the libraries are not meant for users.
        switch error {
        case let error as SocketError:
            return .noAnswer(store: store, reason: error.description)
        case let error as IOError:
            switch error.errnoCode {
            case ENOENT: return .noSocket(store: store)
            case EACCES, EPERM: return .notPermitted(store: store)
            case ECONNREFUSED: return .noAnswer(store: store, reason: "nothing listens there")
            case ECONNRESET, EPIPE: return .cutShort(store: store)
            default: return .noAnswer(store: store, reason: String(cString: strerror(error.errnoCode)))
            }
        case ChannelError.connectTimeout:
            return .noAnswer(store: store, reason: "the connection could not be made")
        default:
            return .cutShort(store: store)
        }
    }

    private static func refusal(_ status: Int, _ body: [UInt8]) -> OwnerProblem {
        struct Answer: Decodable {
            let reason: String
            let detail: String
            let hint: String?
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(body))
        return .refused(
            Refusal(
                answer.flatMap { ErrorCode(rawValue: $0.reason) } ?? .unexpected,
                answer?.detail ?? "the process that has the store open answered \(status)", hint: answer?.hint))
    }
}

/// Why the owner of a store did not carry out a request.
package enum OwnerProblem: CodedError, Hashable {
    /// There is no socket beside the store.
    case noSocket(store: String)
    /// Nothing listens on the socket.
    case noAnswer(store: String, reason: String)
    /// The socket belongs to another user.
    case notPermitted(store: String)
    /// The connection ended before the answer did.
    case cutShort(store: String)
    case refused(Refusal)

    /// The stable code: the owner's own when it refused.
    package var code: ErrorCode {
        switch self {
        case .noSocket, .noAnswer, .notPermitted, .cutShort: .ownerUnreachable
        case .refused(let refusal): refusal.code
        }
    }
}

extension OwnerProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSocket(let store):
            "another process has the store \(store) open, and there is no "
                + "\(ConsoleSocket.path(besideStore: store)) to reach it"
        case .noAnswer(let store, let reason):
            "another process has the store \(store) open, and does not answer at "
                + "\(ConsoleSocket.path(besideStore: store)): \(reason)"
        case .notPermitted(let store):
            "another user's process has the store \(store) open"
        case .cutShort(let store):
            "the process that has the store \(store) open ended before it answered; changes made until then remain"
        case .refused(let refusal): refusal.message
        }
    }

    package var hint: String? {
        switch self {
        case .noSocket:
            "a server creates it at startup, and other commands finish soon; try again, or stop the process"
        case .noAnswer: "it may be starting or stopping; try again, or stop the process"
        case .notPermitted: "run the command as the user that skan serve runs as"
        case .cutShort: "see the server's log, and run the command again"
        case .refused(let refusal): refusal.hint ?? (refusal.code == .storeFailed ? "see the server's log" : nil)
        }
    }
}
