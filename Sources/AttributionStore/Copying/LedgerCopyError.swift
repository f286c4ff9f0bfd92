package import CodedErrors

/// Why a store is not copied although both can be reached.
package enum LedgerCopyError: Error, Hashable, Sendable {
    /// The target had postbacks or counts before the first copy.
    case notEmpty(path: String)
    /// Another copy of the same source into the same target runs.
    case overtaken(path: String)
    /// The target does not have what was copied.
    case different(path: String, expected: Int64, found: Int64)
    /// Both are one store, whatever they are called, or one is a backup of the other.
    case same(path: String)
}

extension LedgerCopyError: CustomStringConvertible {
    /// What is wrong.
    package var description: String {
        switch self {
        case .notEmpty(let path):
            "\(path) has recorded deliveries before the first copy"
        case .overtaken(let path):
            "another copy into \(path) runs"
        case .different(let path, let expected, let found):
            expected == found
                ? "some of the \(expected) postbacks copied to \(path) are not there as they were copied"
                : "\(expected) postbacks were copied to \(path), and \(found) of them can be read there"
        case .same(let path):
            "\(path) is the store to copy, or a backup of it, and cannot be copied into itself"
        }
    }
}

extension LedgerCopyError: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .notEmpty: .fileExists
        case .overtaken: .storeInUse
        case .different: .incompleteCopy
        case .same: .badField
        }
    }

    /// What to do about it.
    package var hint: String? {
        switch self {
        case .notEmpty: "copy into a new file or an empty database; servers may record into it once a copy has begun"
        case .overtaken: "let one copy end; what it did is kept"
        case .different:
            "skan recount names what is damaged; rows that a repair changed differ, too; copy into another store"
        case .same: nil
        }
    }
}
