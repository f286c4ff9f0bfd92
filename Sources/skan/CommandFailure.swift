import Attribution
import AttributionAccess
import AttributionConsole
import AttributionListener
import AttributionServer
import AttributionSigning
import AttributionStore
import StrictJSON

/// Why a command could not do its work, and what to do next.
struct CommandFailure: Error {
    let message: String
    let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    /// Puts any error into words.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - message: What the argument parser says of it, for errors of usage.
    ///   - help: What explains the command that was called.
    init(explaining error: any Error, message: String, help: String) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let problem as KeyProblem: self.init(problem.description, hint: problem.hint)
        case let problem as ServerConfiguration.Problem: self.init(problem.description, hint: problem.hint)
        case let problem as AccessProblem: self.init(problem.description, hint: problem.hint)
        case let problem as FieldProblem: self.init(problem.description, hint: help)
        case let problem as OwnerProblem: self.init(problem.description, hint: problem.hint)
        case let problem as StoreError: self.init(problem.description)
        case let problem as LedgerQuestionError: self.init(problem.description)
        case let problem as BackupError: self.init(problem.description)
        case let problem as IngressError: self.init(problem.description)
        default: self.init(message.isEmpty ? "\(error)" : message, hint: help)
        }
    }

    /// Says what is wrong, and what to do about it.
    func say() {
        Terminal.say("skan: error: \(message)")
        if let hint {
            Terminal.say("skan: hint: \(hint)")
        }
    }
}
