package import NIOCore

/// The progress of a console connection with its requests, independent of any socket.
///
/// A deadline begins when the server begins to wait for the client: while an earlier request is being answered, the
/// client has no deadline.
package struct ConsoleProgress {
    /// What the client is expected to send next.
    package enum Input {
        /// The first byte of another request.
        case idle
        /// The rest of a head.
        case head
        /// The rest of a body.
        case body
        /// Nothing: the request being answered is the last.
        case none
    }

    /// What the server waits for.
    package enum Wait: String {
        case head = "head-deadline"
        case request = "request-deadline"
        case idle = "idle-deadline"
        case linger = "linger-deadline"
    }

    /// The order in which connections give way to new ones.
    package enum Rank: Int, Comparable {
        case noRequestYet
        case noRequestNow
        case unfinishedBody

        package static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    package private(set) var input = Input.head
    /// Requests whose head is complete and whose answer is not.
    package private(set) var unanswered = 0
    /// The start of the current wait.
    package private(set) var since: NIODeadline
    private var hasHadRequest = false
    private var isClosing = false

    /// Begins with a connection that was just accepted.
    package init(at now: NIODeadline) {
        since = now
    }

    /// Notes that bytes arrived.
    package mutating func receive(at now: NIODeadline) {
        guard input == .idle else { return }
        input = .head
        since = now
    }

    /// Notes a complete head.
    package mutating func receiveHead(at now: NIODeadline) {
        receive(at: now)
        hasHadRequest = true
        unanswered += 1
        input = .body
    }

    /// Notes a complete body.
    package mutating func receiveEnd(at now: NIODeadline) {
        guard input == .body else { return }
        input = .idle
        since = now
    }

    /// Takes nothing more from the client.
    package mutating func endInput() {
        input = .none
    }

    /// Notes that a request was answered.
    ///
    /// If the answer did not wait for the body, the body keeps its deadline.
    package mutating func answer(at now: NIODeadline) {
        unanswered = max(0, unanswered - 1)
        if input != .body || unanswered > 0 { since = now }
    }

    /// Notes that the last answer was sent.
    package mutating func close(at now: NIODeadline) {
        isClosing = true
        since = now
    }

    /// What the server waits for; nil while the client waits for the server.
    package var wait: Wait? {
        if isClosing { return .linger }
        switch input {
        case .idle: return unanswered == 0 ? .idle : nil
        case .head: return unanswered == 0 ? .head : nil
        case .body: return unanswered <= 1 ? .request : nil
        case .none: return nil
        }
    }

    /// Its rank for giving way; nil while a complete request is being answered.
    package var rank: Rank? {
        if !hasHadRequest { return .noRequestYet }
        if unanswered == 0 || isClosing { return .noRequestNow }
        return unanswered == 1 && input == .body ? .unfinishedBody : nil
    }
}
