package import CodedErrors

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
