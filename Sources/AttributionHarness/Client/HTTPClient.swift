import NIOCore
import NIOPosix
import StrictJSON
import Synchronization

/// Sends requests over HTTP/1.1 as a device does, and keeps connections for the next ones as long as it exists.
///
/// Redirects are not followed, for devices may not follow them.
package final class HTTPClient: Sendable {
    /// What a server answered.
    package struct Answer: Sendable {
        /// The HTTP status.
        package let status: Int
        /// The fields of the head, with names as they came.
        package let fields: [(name: String, value: String)]
        /// The body, or its beginning.
        package let body: [UInt8]
        /// Whether the body is all there is of it.
        package let isWhole: Bool

        /// The first value of a field, whose name is compared without letter case.
        package func field(_ name: String) -> String? {
            let name = name.lowercased()
            return fields.first { $0.name.lowercased() == name }?.value
        }

        /// Where a redirect leads; nil for any other answer.
        package var redirect: String? {
            (300..<400).contains(status) ? field("Location")?.shortened(to: 200) : nil
        }

        /// The body of an answer that is needed whole.
        ///
        /// - Returns: All its bytes.
        /// - Throws: ``Failure/tooLong``.
        package func wholeBody() throws(Failure) -> [UInt8] {
            guard isWhole else {
                throw .tooLong
            }
            return body
        }
    }

    /// Errors of the client itself.
    package enum Failure: Error {
        /// Not an HTTP URL.
        case invalidURL
        /// The answer took longer than it may.
        case tooSlow
        /// The body is longer than it may be.
        case tooLong
        /// The connection was closed.
        case closed
    }

    /// How long a request may take.
    struct TimeLimit: Sendable {
        /// When all of it has to be over, or with a ``pause`` all but the body of the answer.
        let deadline: NIODeadline
        /// How long the body of the answer may pause.
        let pause: TimeAmount?
    }

    /// For the life of the process.
    static let shared = HTTPClient()

    private struct IdleConnection {
        let connection: HTTPConnection
        let since: NIODeadline
    }

    private let idle = Mutex<[Origin: [IdleConnection]]>([:])
    private let longestIdle: TimeAmount

    /// Makes a client.
    ///
    /// - Parameter longestIdle: A connection that was unused for so long is closed when it would be used next. Servers
    ///   close such connections after some seconds, perhaps just as a request is on its way.
    package init(longestIdle: Duration = .seconds(2)) {
        self.longestIdle = TimeAmount(longestIdle)
    }

    deinit {
        for entry in idle.withLock({ $0.values.joined() }) {
            entry.connection.close()
        }
    }

    /// Sends a request, and sends it again over a new connection if the server had closed an idle one; but no POST of
    /// which some may have arrived, because the server may have acted on it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - length: How many bytes of the body are kept; a longer one is cut off, for a stranger may send without end.
    ///   - limit: How long all of it may take, for a server may send a byte now and then.
    ///   - pause: How long the body of the answer may pause; its length then takes no part in the limit. Nil for a body
    ///     within the limit.
    /// - Returns: The answer, whatever it is.
    /// - Throws: ``Failure``, and what the connection reports.
    package func send(
        _ request: Request, keeping length: Int, within limit: Duration, pausing pause: Duration? = nil
    ) async throws -> Answer {
        let limit = TimeLimit(deadline: .now() + TimeAmount(limit), pause: pause.map { TimeAmount($0) })
        do {
            if let connection = takeIdle(request.origin) {
                do {
                    return try await exchange(request, keeping: length, over: connection, within: limit)
                } catch let error as HTTPConnection.Unanswered where request.body == nil || !error.isSent {
                    // The server had closed it. Only what changes nothing there is sent again.
                }
            }
            let connection = try await Self.connect(to: request.origin, until: limit.deadline)
            return try await exchange(request, keeping: length, over: connection, within: limit)
        } catch let error as HTTPConnection.Unanswered {
            throw error.cause
        }
    }

    private static func connect(to origin: Origin, until deadline: NIODeadline) async throws -> HTTPConnection {
        // Connecting cannot be cancelled: it is left to a task of its own, which can be abandoned.
        let connection = MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask {
            try await HTTPConnection.connect(to: origin)
        }
        do {
            return try await connection.get(until: deadline)
        } catch {
            connection.whenSuccess { $0.close() }
            throw error
        }
    }

    private func exchange(
        _ request: Request, keeping length: Int, over connection: HTTPConnection, within limit: TimeLimit
    ) async throws -> Answer {
        let pending = connection.begin(request, keeping: length, within: limit)
        async let _ = connection.sendPieces(of: request.body, until: limit.deadline)
        do {
            let outcome = try await pending.get(until: nil)
            if outcome.isReusable {
                keep(connection, to: request.origin)
            }
            return outcome.answer
        } catch {
            connection.close()
            throw error
        }
    }

    private func keep(_ connection: HTTPConnection, to origin: Origin) {
        let now = NIODeadline.now()
        idle.withLock { idle in
            // Those below the newest are seldom taken.
            idle[origin] =
                (idle[origin] ?? []).filter { isUsable($0, at: now) }
                + [IdleConnection(connection: connection, since: now)]
        }
    }

    /// The newest connection that the server has not closed and will not close yet.
    private func takeIdle(_ origin: Origin) -> HTTPConnection? {
        let now = NIODeadline.now()
        return idle.withLock { idle in
            while let entry = idle[origin]?.popLast() {
                if isUsable(entry, at: now) {
                    return entry.connection
                }
            }
            return nil
        }
    }

    /// Whether a connection can take a request; it is closed otherwise.
    private func isUsable(_ entry: IdleConnection, at now: NIODeadline) -> Bool {
        guard entry.connection.isActive, now - entry.since < longestIdle else {
            entry.connection.close()
            return false
        }
        return true
    }
}

extension EventLoopFuture where Value: Sendable {
    /// Waits for the value, but no longer than until a deadline, if there is one, and not in a cancelled task.
    func get(until deadline: NIODeadline?) async throws -> Value {
        let promise = eventLoop.makePromise(of: Value.self)
        if let deadline {
            let timer = eventLoop.scheduleTask(deadline: deadline) { promise.fail(HTTPClient.Failure.tooSlow) }
            promise.futureResult.whenComplete { _ in timer.cancel() }
        }
        cascade(to: promise)
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }
}
