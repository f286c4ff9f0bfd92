import CodedErrors

/// Why a command failed, and what to do next.
struct CommandFailure: CodedError {
    let code: ErrorCode
    let message: String
    let hint: String?

    init(_ message: String, code: ErrorCode = .badUsage, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Describes any error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - help: The command that shows help; the hint of a usage error that has none.
    init(explaining error: any Error, help: String) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as any CodedError:
            let isUsage = error.code == .badField || error.code == .badUsage
            self.init(error.message, code: error.code, hint: error.hint ?? (isUsage ? help : nil))
        default:
            self =
                CommandFailure.ofFile(error)
                ?? CommandFailure(
                    "an unexpected error occurred (\(type(of: error)))", code: .unexpected,
                    hint: "please report it, with the command and its log")
        }
    }

    /// Prints the message and the hint.
    func say() {
        Terminal.say("skan: error: \(message)")
        if let hint {
            Terminal.say("skan: hint: \(hint)")
        }
    }
}
