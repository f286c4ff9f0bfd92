/// What SQLite's result codes mean to an operator.
package enum StoreFault: Error, Hashable, Sendable {
    /// The disk is full.
    case diskFull
    /// The disk or the operating system reports an error.
    case input(code: Int32)
    /// Another program has locked the store.
    case locked
    /// The file is not writable.
    case readOnly
    /// The file, its log or its folder cannot be opened.
    case cannotOpen
    /// The file is damaged.
    case damaged
    /// Any other error.
    case other(code: Int32)
    /// No server was reached that takes writes: libpq's words, and whether the server's certificate was to be verified.
    case noPrimary(reason: String, isVerified: Bool = false)
    /// The connection to the server broke.
    case connectionLost
    /// The connection broke during a commit, and whether it happened could not be found out.
    case commitUnknown
    /// The commit is on the primary's disk, and nobody knows whether on another.
    case notReplicated
    /// The role may not do it; the server's words.
    case notAllowed(String)
    /// A table is missing; the server's words.
    case missingTable(String)
    /// The server refused for another reason: its SQLSTATE and its words.
    case server(state: String, message: String)

    /// Whether it may pass without anybody touching the process: then an owner starts, and is not ready.
    package var mayPass: Bool {
        switch self {
        case .diskFull, .input, .locked, .noPrimary, .connectionLost, .commitUnknown, .notReplicated: true
        case .readOnly, .cannotOpen, .damaged, .other, .notAllowed, .missingTable, .server: false
        }
    }

    package var words: String {
        switch self {
        case .diskFull: "the disk is full"
        case .input(let code): "the disk reports an error (code \(code))"
        case .locked: "another program holds a lock on it"
        case .readOnly: "it is not writable"
        case .cannotOpen: "it, its -wal, its -shm or their folder cannot be opened"
        case .damaged: "it is damaged"
        case .other(let code): "the database reports error \(code)"
        case .noPrimary(let reason, _): "no server that takes writes was reached: \(reason)"
        case .connectionLost: "the connection to the server broke"
        case .commitUnknown: "the connection broke during a commit, and whether it happened could not be found out"
        case .notReplicated: "a commit is on the primary, and may not be on any other server"
        case .notAllowed(let message): "the role may not do it: \(message)"
        case .missingTable(let message): "a table is missing: \(message)"
        case .server(let state, let message): "the server reports \(state): \(message)"
        }
    }

    /// What to do about damage that the database reports.
    static let cureOfDamage =
        "restore a backup, or read what is left into a new store: BackupAndRestore.md says how"

    /// What to do; nil where the operator knows better, or nothing helps but waiting.
    package var hint: String? {
        switch self {
        case .diskFull: "make room; recording resumes by itself"
        case .input: "look at the kernel's log for what is wrong with the disk"
        case .locked: "stop the program that holds it, such as sqlite3 or a backup tool"
        case .readOnly: "check the owner and mode of the file, and whether its file system is mounted read-only"
        case .cannotOpen: "check their owner and mode"
        case .damaged: Self.cureOfDamage
        case .notAllowed: "see the GRANTs in PostgreSQL.md"
        case .missingTable: "restore a backup"
        // libpq has one error for all that keeps it from connecting.
        case .noPrimary(_, isVerified: true):
            "with sslmode=verify-ca or verify-full the server needs ssl = on, and a certificate that an authority in "
                + "sslrootcert= signed; with verify-full it has to name the host as the address does"
        case .notReplicated:
            "devices repeat what was answered 503; check the standbys that synchronous_standby_names names"
        case .noPrimary, .connectionLost, .commitUnknown, .other, .server: nil
        }
    }
}
