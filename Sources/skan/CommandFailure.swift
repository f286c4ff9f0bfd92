import ArgumentParser
import Attribution
import Foundation

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

    /// Describes any error; a usage error without a hint gets the command that shows help.
    init(explaining error: any Error, help: String) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as any CodedError:
            let isUsage = error.code == .badField || error.code == .badUsage
            self.init(error.message, code: error.code, hint: error.hint ?? (isUsage ? help : nil))
        case let error as CocoaError:
            self.init(error.userMessage, code: .unreadableFile, hint: "check the path and its permissions")
        default:
            self.init(
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

/// The exit status of a run; thrown to exit after everything was printed.
///
/// Errors with a code have their status in `ErrorCode.exitStatus`.
enum ExitStatus: Int32, Error {
    /// A check failed.
    case negative = 1
    /// It could not be decided: usage, file, key, store.
    case undecided = 2
}

/// What is wrong with a combination of options, as `validate()` of a command throws it.
///
/// It has the name of ArgumentParser's type, which it replaces in this module: the parser's sentences are never shown,
/// and these must not be taken for one.
struct ValidationError: CodedError, CustomStringConvertible {
    let code = ErrorCode.badUsage
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension CocoaError {
    /// What Foundation could not do with a file, as a message for users.
    var userMessage: String {
        let file = filePath ?? url?.path ?? "a file"
        let verb = Self.writing.contains(code) ? "write" : "read"
        return "cannot \(verb) \(file): \(reason)"
    }

    private static let writing: Set<CocoaError.Code> = [
        .fileWriteUnknown, .fileWriteNoPermission, .fileWriteInvalidFileName, .fileWriteFileExists,
        .fileWriteUnsupportedScheme, .fileWriteOutOfSpace, .fileWriteVolumeReadOnly, .fileNoSuchFile,
    ]

    /// Why, without the file.
    var reason: String {
        if let code = (underlying as? POSIXError)?.code {
            return String(cString: strerror(code.rawValue))
        }
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return "no such file or folder"
        case .fileReadNoPermission, .fileWriteNoPermission: return "permission denied"
        case .fileWriteOutOfSpace: return "the disk is full"
        case .fileWriteVolumeReadOnly: return "its disk is read-only"
        case .fileWriteFileExists: return "it already exists"
        default: return "the system refuses"
        }
    }
}

extension CommandFailure {
    /// The failure to write a file.
    static func cannotWrite(_ name: String, _ error: any Error) -> CommandFailure {
        let reason = (error as? CocoaError)?.reason ?? "the system refuses"
        return CommandFailure(
            "cannot write to \(name): \(reason)", code: .unwritableFile,
            hint: "check that the folder exists and can be written")
    }
}
