import CodedErrors

/// Why a command could not do its work, and what to do next.
struct CommandFailure: CodedError {
    let code: ErrorCode
    let message: String
    let hint: String?

    init(_ message: String, code: ErrorCode = .badUsage, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Puts any error into words.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - help: What explains the command that was called; the hint of an error that has none and is one of usage.
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
                    "something failed that skan has no words for (\(type(of: error)))", code: .unexpected,
                    hint: "please report it, with the command and its log")
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
