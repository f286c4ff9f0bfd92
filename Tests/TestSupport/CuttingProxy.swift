import Foundation
import Glibc
import Synchronization

/// A proxy between a client of PostgreSQL and its server that cuts both sides off at a chosen message.
///
/// It understands as much of the protocol as it takes to tell where messages begin.
package final class CuttingProxy: Sendable {
    /// When connections are cut.
    package enum Cut: Sendable {
        /// Never.
        case never
        /// Before a message of the client with this text in it reaches the server.
        case before(String)
        /// After such a message has reached the server, before anything of its answer reaches the client.
        case after(String)
        /// After the server has begun to answer it: the client gets a byte.
        case within(String)
    }

    /// The port on 127.0.0.1.
    package let port: Int
    private let listener: Int32
    private let server: Int
    private let state = Mutex(State())

    private struct State {
        var cut = Cut.never
        var cuts = 0
        var isRefusing = false
        var isOver = false
    }

    /// Listens on a free port.
    ///
    /// - Parameter server: The port of the server on 127.0.0.1.
    /// - Throws: When it cannot listen.
    package init(to server: Int) throws {
        self.server = server
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let descriptor = listener
        guard let port = Loopback.takePort(descriptor), listen(descriptor, 16) == 0 else {
            throw PostgreSQLServer.Failure(description: "the proxy cannot listen")
        }
        self.port = port
        Thread { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0, let proxy = self, !proxy.state.withLock(\.isOver) else {
                    if client >= 0 { close(client) }
                    return
                }
                Thread { proxy.serve(client) }.start()
            }
        }.start()
    }

    deinit {
        state.withLock { $0.isOver = true }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Cuts the next connection that it applies to, once.
    package func cut(_ cut: Cut) {
        state.withLock { $0.cut = cut }
    }

    /// Whether new connections are refused.
    package func refuse(_ isRefusing: Bool) {
        state.withLock { $0.isRefusing = isRefusing }
    }

    /// How many connections were cut.
    package var cuts: Int {
        state.withLock(\.cuts)
    }

    // MARK: Connections

    private func serve(_ client: Int32) {
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = Loopback.call(connect, upstream, port: server)
        let answers = Answers()
        if isConnected, !state.withLock(\.isRefusing) {
            let back = Thread { self.passAnswers(from: upstream, to: client, answers) }
            back.start()
            passRequests(from: client, to: upstream, answers)
        }
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(upstream, Int32(SHUT_RDWR))
        if isConnected {
            answers.waitUntilOver()
        }
        close(client)
        close(upstream)
    }

    /// What a connection's answers may still do.
    private final class Answers: Sendable {
        let remaining = Mutex<Int?>(nil)
        private let over = DispatchSemaphore(value: 0)

        func end() { over.signal() }
        func waitUntilOver() { _ = over.wait(timeout: .now() + 10) }
    }

    private func passRequests(from client: Int32, to upstream: Int32, _ answers: Answers) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
            let bytes = Array(buffer[..<count])
            let text = String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
            let cut = state.withLock { state -> Cut in
                switch state.cut {
                case .before(let word) where text.contains(word), .after(let word) where text.contains(word),
                    .within(let word) where text.contains(word):
                    defer { state.cut = .never }
                    state.cuts += 1
                    return state.cut
                default:
                    return .never
                }
            }
            switch cut {
            case .never:
                guard Loopback.send(bytes, to: upstream) else { return }
            case .before:
                return
            case .after:
                answers.remaining.withLock { $0 = 0 }
                _ = Loopback.send(bytes, to: upstream)
                return awaitAnswer(answers)
            case .within:
                answers.remaining.withLock { $0 = 1 }
                _ = Loopback.send(bytes, to: upstream)
                return awaitAnswer(answers)
            }
        }
    }

    /// Waits until the server has answered what the client must not hear.
    private func awaitAnswer(_ answers: Answers) {
        let end = ContinuousClock.now + .seconds(10)
        while answers.remaining.withLock({ $0 != -1 }), ContinuousClock.now < end {
            usleep(1_000)
        }
    }

    private func passAnswers(from upstream: Int32, to client: Int32, _ answers: Answers) {
        defer { answers.end() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(upstream, &buffer, buffer.count, 0), count > 0 {
            let allowed = answers.remaining.withLock { remaining -> Int in
                guard let left = remaining else {
                    return count
                }
                remaining = -1
                return max(0, min(left, count))
            }
            guard Loopback.send(buffer[..<allowed], to: client) else { return }
        }
    }
}
