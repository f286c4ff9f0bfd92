import CodedErrors
import Foundation

extension CocoaError {
    /// What Foundation could not do with a file, in a person's words; its own are made for programs.
    var words: String {
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
        case .fileReadNoPermission, .fileWriteNoPermission: return "this user may not"
        case .fileWriteOutOfSpace: return "the disk is full"
        case .fileWriteVolumeReadOnly: return "its disk is read-only"
        case .fileWriteFileExists: return "it exists"
        default: return "the system refuses"
        }
    }
}

extension CommandFailure {
    /// Puts into words what Foundation could not do with a file; nil for other errors.
    static func ofFile(_ error: any Error) -> CommandFailure? {
        (error as? CocoaError).map {
            CommandFailure($0.words, code: .unreadableFile, hint: "check the path and who may use it")
        }
    }

    /// Says that something could not be written, in words of ours.
    static func cannotWrite(_ name: String, _ error: any Error) -> CommandFailure {
        let reason = (error as? CocoaError)?.reason ?? "the system refuses"
        return CommandFailure(
            "cannot write to \(name): \(reason)", code: .unwritableFile,
            hint: "check that the folder exists and can be written")
    }
}
