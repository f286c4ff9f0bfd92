package import Attribution

/// Why a store is not copied although both can be reached.
package enum LedgerCopyError: CodedError, Hashable {
    /// The target had postbacks or counts before the first copy.
    case notEmpty(path: String)
    /// The target recorded something between the first copy and the last.
    case recordedItself(path: String)
    /// A transaction of the source still runs, which may be that of another program.
    case notSettled
    /// Both are one store, whatever they are called, or one is a backup of the other.
    case same(path: String)

    package var message: String {
        switch self {
        case .notEmpty(let path):
            "\(path) has recorded deliveries before the first copy"
        case .recordedItself(let path):
            "\(path) has recorded deliveries itself since the copy began, and sums of the source would replace theirs"
        case .notSettled:
            "a transaction still runs on the server of the source, and postbacks recorded since it began are not copied"
        case .same(let path):
            "\(path) is the store to copy, or a backup of it, and cannot be copied into itself"
        }
    }

    package var code: ErrorCode {
        switch self {
        case .notEmpty, .recordedItself: .fileExists
        case .notSettled: .storeFailed
        case .same: .badField
        }
    }

    package var hint: String? {
        switch self {
        case .notEmpty: "copy into a new file or an empty database"
        case .recordedItself: "copy into a new store, and start servers on it after the copy with --source-stopped"
        case .notSettled: "end it (see pg_stat_activity), and repeat the command"
        case .same: nil
        }
    }
}
