import CodedErrors
import Foundation

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
    /// Describes a file error of Foundation; nil for other errors.
    static func ofFile(_ error: any Error) -> CommandFailure? {
        (error as? CocoaError).map {
            CommandFailure($0.userMessage, code: .unreadableFile, hint: "check the path and its permissions")
        }
    }

    /// The failure to write a file.
    static func cannotWrite(_ name: String, _ error: any Error) -> CommandFailure {
        let reason = (error as? CocoaError)?.reason ?? "the system refuses"
        return CommandFailure(
            "cannot write to \(name): \(reason)", code: .unwritableFile,
            hint: "check that the folder exists and can be written")
    }
}
