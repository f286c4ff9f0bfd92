package import Attribution
import AttributionListener
package import AttributionStore
package import CodedErrors
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import StrictJSON

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Asks the process that owns a store to change it, at the socket beside the store.
package struct OwnerClient: Sendable {
    private let store: String

    /// A repair reads the whole store twice: some minutes for ten million postbacks.
    private static let timeout = TimeAmount.hours(2)
    private static let longestAnswer = 64 << 20

    /// Names the owner.
    ///
    /// - Parameter store: The store's file, with links resolved.
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

    /// Issues web ads.
    ///
    /// - Parameters:
    ///   - request: What they advertise, and where.
    ///   - count: How many.
    ///   - issuedAtMilliseconds: The start of their lifetime, in Unix milliseconds; nil for now.
    /// - Returns: Each link as a line of JSON.
    /// - Throws: ``OwnerProblem``.
    package func issue(_ request: WebAdRequest, count: Int, issuedAtMilliseconds: Int64?) async throws -> [String] {
        var lines: [String] = []
        while lines.count < count {
            let pageCount = min(count - lines.count, WebAdRoutes.maximumCount)
            let time = issuedAtMilliseconds.map { "&issued-at=\($0)" } ?? ""
            let answer = try await send(.webAds, query: "?count=\(pageCount)\(time)", request.json)
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
        let answer = try await send(route, query: "", body)
        guard let decoded = try? JSONDecoder().decode(Answer.self, from: Data(answer)) else {
            throw OwnerProblem.noAnswer(store: store, reason: "its answer is not one of this release of skan")
        }
        return decoded
    }

    // MARK: The connection

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// Sends a request and takes the answer, which must be 200.
    private func send(_ route: ConsoleRoute, query: String, _ body: JSONText) async throws -> [UInt8] {
        let connection = try await connect()
        let bytes = ByteBuffer(string: body.line)
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: route.definition.method.rawValue),
            uri: route.definition.path + query,
            headers: [
                "host": "localhost", "content-type": "application/json", "content-length": "\(bytes.readableBytes)",
                "connection": "close",
            ])
        let timeout = connection.channel.eventLoop.scheduleTask(in: Self.timeout) {
            connection.channel.close(promise: nil)
        }
        defer { timeout.cancel() }
        do {
            let (status, answer) = try await connection.executeThenClose { answers, requests in
                // At once: the answer to a complete request closes the connection, and a later write would fail.
                try await requests.write(contentsOf: [.head(head), .body(.byteBuffer(bytes)), .end(nil)])
                return try await Self.read(answers)
            }
            guard let status else {
                throw OwnerProblem.cutShort(store: store)
            }
            guard status == .ok else {
                throw Self.refusal(status, answer)
            }
            return answer
        } catch let problem as OwnerProblem {
            throw problem
        } catch {
            throw OwnerProblem.cutShort(store: store)
        }
    }

    /// The status and the body; no status when the answer is incomplete.
    private static func read(
        _ answers: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> (HTTPResponseStatus?, [UInt8]) {
        var (status, body): (HTTPResponseStatus?, [UInt8]) = (nil, [])
        for try await part in answers {
            switch part {
            case .head(let head): status = head.status
            case .body(let bytes) where body.count + bytes.readableBytes <= longestAnswer:
                body += bytes.readableBytesView
            case .body: return (nil, [])
            case .end: return (status, body)
            }
        }
        return (nil, [])
    }

    private static func refusal(_ status: HTTPResponseStatus, _ body: [UInt8]) -> OwnerProblem {
        struct Answer: Decodable {
            let reason: String
            let detail: String
            let hint: String?
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(body))
        return .refused(
            Refusal(
                answer.flatMap { ErrorCode(rawValue: $0.reason) } ?? .unexpected,
                answer?.detail ?? "the process that has the store open answered \(status.code)", hint: answer?.hint))
    }

    private func connect() async throws -> Connection {
        do {
            let path = try SocketPath(ConsoleSocket.path(besideStore: store))
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(10))
                .connect(unixDomainSocketPath: path.text) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        return try Connection(wrappingChannelSynchronously: channel)
                    }
                }
        } catch let error as IOError where error.errnoCode == ENOENT {
            throw OwnerProblem.noSocket(store: store)
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM {
            throw OwnerProblem.notPermitted(store: store)
        } catch {
            // The system's message where there is one; those of the libraries are not meant for users.
            let reason =
                switch error {
                case let error as IOError where error.errnoCode == ECONNREFUSED: "nothing listens there"
                case let error as IOError: String(cString: strerror(error.errnoCode))
                case let error as SocketError: error.description
                default: "the connection could not be made"
                }
            throw OwnerProblem.noAnswer(store: store, reason: reason)
        }
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
    /// The owner refused.
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
    /// What is wrong.
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

    /// What to do.
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
