package import Attribution
import AttributionStore

/// Why a copy could not be made; nothing of it is left.
package enum BackupError: Error, Hashable, Sendable {
    /// The destination already exists.
    case exists(path: String)
    /// The copy could not be written.
    case cannotWrite(path: String, reason: String)
    /// The copy does not match its source.
    case notWhole(path: String)
}

extension BackupError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exists(let path): "\(path) already exists, and a backup never overwrites a file"
        case .cannotWrite(let path, let reason): "cannot write the copy \(path): \(reason)"
        case .notWhole(let path): "the copy \(path) did not match the store and was removed"
        }
    }

    package var hint: String? {
        switch self {
        case .exists: "choose a new name"
        case .cannotWrite: nil
        case .notWhole: "run skan recount, and check the disk"
        }
    }
}

extension BackupError {
    /// Rethrows errors of the store or SQLite as errors of the copy.
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
    package var code: ErrorCode {
        switch self {
        case .exists: .fileExists
        case .cannotWrite: .unwritableFile
        case .notWhole: .incompleteCopy
        }
    }
}
