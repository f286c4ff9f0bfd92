import GRDB

/// Why a store cannot be opened, read or written.
package enum StoreError: Error, Hashable, Sendable {
    /// There is no file at the path.
    case missing(path: String)
    /// The folder of the file does not exist.
    case noFolder(path: String, folder: String)
    /// The file cannot be opened.
    case cannotOpen(path: String, reason: String)
    /// The file is on a file system whose locks do not bind other machines.
    case remoteFileSystem(path: String, kind: String)
    /// The file is not a database.
    case notAStore(path: String)
    /// The file is a database without our `application_id`: another program's, or from an early development version.
    case foreignDatabase(path: String)
    /// The file was written by a later release.
    case newerSchema(path: String)
    /// The file is empty or missing but its log is not; creating a store would delete the log.
    case logWithoutStore(path: String)
    /// The file was made by a development version.
    case olderSchema(path: String)
    /// Another process owns the store.
    case inUse(path: String)
    /// The log has commits that this reader cannot read.
    case logUnreadable(path: String)
    /// Another process took over the store while it was open here.
    case fenced(path: String)
    /// Files were removed, replaced or truncated while they were open.
    case lost(path: String, StoreLoss)
    /// Reading or writing failed.
    case failed(path: String, StoreFault)
    /// The address of a store in PostgreSQL cannot be used; the address without its secrets.
    case badAddress(String, reason: String)
    /// libpq, which a store in PostgreSQL needs, is not on this machine.
    case noClientLibrary(reason: String)
    /// The database has no tables of a store, and this role may not make them, or has those of an earlier release.
    case notMigrated(path: String, found: Int64?, needed: Int64)
    /// A commit would not survive the loss of the primary, and that was asked for.
    case notSynchronous(path: String)
}

/// What SQLite's result codes mean to an operator.
package enum StoreFault: Hashable, Sendable {
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
    /// The server refused for another reason: its SQLSTATE and its words.
    case server(state: String, message: String)

    /// Classifies a result code.
    init(_ error: DatabaseError) {
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .diskFull
            case .SQLITE_IOERR: .input(code: error.extendedResultCode.rawValue)
            case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: .locked
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .readOnly
            case .SQLITE_CANTOPEN: .cannotOpen
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
            default: .other(code: error.extendedResultCode.rawValue)
            }
    }

    /// Whether it may pass without anybody touching the process: then an owner starts, and is not ready.
    package var mayPass: Bool {
        switch self {
        case .diskFull, .input, .locked, .noPrimary, .connectionLost, .commitUnknown, .notReplicated: true
        case .readOnly, .cannotOpen, .damaged, .other, .notAllowed, .server: false
        }
    }

    /// What is wrong.
    package var words: String {
        switch self {
        case .diskFull: "the disk is full"
        case .input(let code): "the disk reports an error (code \(code))"
        case .locked: "another program holds a lock on it"
        case .readOnly: "it is not writable"
        case .cannotOpen: "it, its -wal, its -shm or their folder cannot be opened; check their owner and mode"
        case .damaged: "it is damaged; run skan recount to find out where, or restore a backup"
        case .other(let code): "the database reports error \(code)"
        case .noPrimary(let reason, _): "no server that takes writes was reached: \(reason)"
        case .connectionLost: "the connection to the server broke"
        case .commitUnknown: "the connection broke during a commit, and whether it happened could not be found out"
        case .notReplicated: "a commit is on the primary, and may not be on any other server"
        case .notAllowed(let message): "the role may not do it: \(message); see the GRANTs in PostgreSQL.md"
        case .server(let state, let message): "the server reports \(state): \(message)"
        }
    }
}

extension StoreError {
    /// Translates SQLite's errors; other errors are rethrown unchanged.
    static func translating<Result>(_ path: String, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError {
            throw StoreError.failed(path: path, StoreFault(error))
        }
    }

    /// Translates SQLite's errors of asynchronous work.
    static func translating<Result: Sendable>(
        _ path: String,
        _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as DatabaseError {
            throw StoreError.failed(path: path, StoreFault(error))
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// What is wrong and how to fix it.
    package var description: String {
        switch self {
        case .missing(let path):
            "there is no store at \(path); start one with: skan serve --listen 127.0.0.1:8080 --store \(path)"
        case .noFolder(let path, let folder):
            "the folder \(folder) of the store \(path) does not exist; create it first"
        case .cannotOpen(let path, let reason):
            "cannot open the store \(path): \(reason); check its owner and mode, and its folder's"
        case .remoteFileSystem(let path, let kind):
            "\(path) is on \(kind), where a lock does not keep other machines out; put the store on a local disk"
        case .notAStore(let path):
            "\(path) is not a store of skan; name a file that skan serve made, or a new one"
        case .foreignDatabase(let path):
            "\(path) is a database, but not a store of this release; "
                + "name another file (stores of early development versions cannot be migrated)"
        case .newerSchema(let path):
            "the store \(path) was written by a later release of skan; use that release"
        case .logWithoutStore(let path):
            "\(path) is empty, but \(path)-wal is not: the store was truncated or replaced; move the -wal aside, "
                + "because it may hold postbacks that can be recovered, and restore a backup"
        case .olderSchema(let path):
            "the store \(path) was made by a development version of skan and cannot be migrated; name another file"
        case .inUse(let path):
            "another process has the store \(path); stop it first, or name another store"
        case .logUnreadable(let path):
            "the newest commits of \(path) are in \(path)-wal, which can be read only if \(path)-shm can be created; "
                + "give this user write access to the folder, or copy both files"
        case .fenced(let path):
            "another process took over the store \(path); this process no longer records"
        case .lost(let path, let loss):
            "the store \(path): \(loss.rawValue) while it was open; this process no longer records"
        case .failed(let path, let fault):
            "the store \(path): \(fault.words)"
        case .badAddress(let address, let reason):
            "the store \(address): \(reason)"
        case .noClientLibrary(let reason):
            "a store in PostgreSQL needs libpq, which cannot be loaded: \(reason); install the package libpq5"
        case .notMigrated(let path, nil, _):
            "\(path) has no tables of a store, and this role may not make them; run: skan migrate --store \(path)"
        case .notMigrated(let path, .some(let found), let needed):
            "the tables of \(path) are of version \(found), and this release needs \(needed), which this role may not "
                + "make; run: skan migrate --store \(path)"
        case .notSynchronous(let path):
            "\(path): commits reach one server alone (synchronous_standby_names is empty, or synchronous_commit is not "
                + "on), and --require-synchronous was given"
        }
    }
}
