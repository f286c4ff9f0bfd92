package import CodedErrors

/// Why a copy could not be made; nothing of it is left.
package enum BackupError: Error, Hashable, Sendable {
    /// There is a file already where the copy was to be.
    case exists(path: String)
    /// The copy could not be written.
    case cannotWrite(path: String, reason: String)
    /// The copy is not what was copied.
    case notWhole(path: String)
}

extension BackupError: CustomStringConvertible {
    /// What is wrong and how to mend it.
    package var description: String {
        switch self {
        case .exists(let path): "\(path) exists already, and a backup overwrites nothing; name a new file"
        case .cannotWrite(let path, let reason): "cannot write the copy \(path): \(reason)"
        case .notWhole(let path):
            "the copy \(path) was not whole, and was removed; run skan recount on the store, and check the disk"
        }
    }
}

extension BackupError {
    /// Takes what went wrong while a copy was written as what it means for the copy.
    static func translating<Result>(_ path: String, _ work: () throws -> Result) throws -> Result {
        do {
            return try StoreError.translating(path, work)
        } catch StoreError.failed(_, let fault) {
            throw BackupError.cannotWrite(path: path, reason: fault.words)
        } catch StoreError.cannotOpen(_, let reason) {
            throw BackupError.cannotWrite(path: path, reason: reason)
        }
    }
}

extension BackupError: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .exists: .fileExists
        case .cannotWrite: .unwritableFile
        case .notWhole: .incompleteCopy
        }
    }
}
