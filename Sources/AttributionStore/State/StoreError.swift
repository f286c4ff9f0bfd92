package import Attribution

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
    /// There is no file, but a copy that was saved when it was lost; a new store would count again what is in the copy.
    case rescuedBeside(path: String, copy: String)
    /// There is no file, and none is to be made.
    case notToBeMade(path: String)
    /// The file is a copy that no owner has taken over, but has the log of another one beside it.
    case copyWithLog(path: String)
    /// The file was made by a development version.
    case olderSchema(path: String)
    /// Another process owns the store.
    case inUse(path: String)
    /// SQLite's check found the file damaged: the first problem.
    case damaged(path: String, problem: String)
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
    /// The database that is to be read has no tables of a store.
    case emptyDatabase(path: String)
    /// The database has no tables of a store, and this role may not make them, or it has those of an earlier
    /// release.
    case notMigrated(path: String, found: Int64?, needed: Int64)
    /// A commit would not survive the loss of the primary, and that was asked for.
    case notSynchronous(path: String)
}

extension StoreError: CodedError {
    package var code: ErrorCode {
        switch self {
        case .missing, .noFolder, .emptyDatabase, .notToBeMade: .noStore
        case .cannotOpen, .remoteFileSystem, .notAStore, .foreignDatabase, .newerSchema, .olderSchema, .logWithoutStore,
            .rescuedBeside, .copyWithLog, .logUnreadable, .badAddress, .noClientLibrary, .notMigrated:
            .unusableStore
        case .inUse: .storeInUse
        case .damaged, .fenced, .lost, .failed, .notSynchronous: .storeFailed
        }
    }

    package var message: String {
        switch self {
        case .missing(let path): "there is no store at \(path)"
        case .noFolder(let path, let folder): "the folder \(folder) of the store \(path) does not exist"
        case .cannotOpen(let path, let reason): "cannot open the store \(path): \(reason)"
        case .remoteFileSystem(let path, let kind):
            "\(path) is on \(kind), where a lock does not keep other machines out"
        case .notAStore(let path): "\(path) is not a store of skan"
        case .foreignDatabase(let path): "\(path) is a database, but not a store of this release"
        case .newerSchema(let path): "the store \(path) was written by a later release of skan"
        case .logWithoutStore(let path):
            "\(path) is empty, but \(path)-wal is not: the store was truncated or replaced"
        case .rescuedBeside(let path, let copy):
            "there is no store at \(path), but \(copy) was saved when it was lost: a new one would count again what is in it"
        case .notToBeMade(let path): "there is no store at \(path), and --no-create was given"
        case .copyWithLog(let path):
            "\(path) is a backup, and \(path)-wal belongs to the store that was there before"
        case .olderSchema(let path):
            "the store \(path) was made by a development version of skan and cannot be migrated"
        case .inUse(let path): "another process has the store \(path)"
        case .damaged(let path, let problem): "the store \(path): it is damaged: \(problem)"
        case .logUnreadable(let path):
            "the newest commits of \(path) are in \(path)-wal, which can be read only if \(path)-shm can be created"
        case .fenced(let path): "another process took over the store \(path); this process no longer records in it"
        case .lost(let path, let loss):
            "the store \(path): \(loss.rawValue) while it was open; this process no longer records in it"
        case .failed(let path, let fault): "the store \(path): \(fault.words)"
        case .badAddress(let address, let reason): "the store \(address): \(reason)"
        case .noClientLibrary(let reason):
            "a store in PostgreSQL needs libpq, which cannot be loaded: \(reason)"
        case .emptyDatabase(let path): "the database \(path) holds no store"
        case .notMigrated(let path, nil, _): "\(path) has no tables of a store, and this role may not make them"
        case .notMigrated(let path, .some(let found), let needed):
            "the tables of \(path) are of version \(found), and this release needs \(needed)"
        case .notSynchronous(let path):
            "\(path): commits reach one server alone (synchronous_standby_names is empty, or synchronous_commit is not "
                + "on), and --require-synchronous was given"
        }
    }

    package var hint: String? {
        switch self {
        case .missing(let path): "skan serve --store \(path)"
        case .noFolder(_, let folder): "mkdir \(folder)"
        case .cannotOpen: "check the owner and mode of the file and of its folder"
        case .remoteFileSystem: "put the store on a local disk"
        case .notAStore: "name a file that skan serve made, or a new one"
        case .foreignDatabase: "name another file; stores of early development versions cannot be migrated"
        case .newerSchema: "use that release"
        case .logWithoutStore:
            "move the -wal aside, because it may hold postbacks that can be recovered, and restore a backup"
        case .rescuedBeside(let path, let copy):
            "move \(copy) to \(path), and any files at \(path)-wal and \(path)-shm away"
        case .notToBeMade:
            "restore the store or correct its path; to make a new one, start once without --no-create (SKAN_NO_CREATE)"
        case .copyWithLog(let path): "move \(path)-wal and \(path)-shm away"
        case .olderSchema: "name another file"
        case .inUse: "stop it first, or name another store"
        case .damaged: StoreFault.cureOfDamage
        case .logUnreadable: "give this user write access to the folder, or copy both files"
        case .fenced: "stop one of the two, and restart the other"
        case .lost: "see the log before you restart"
        case .failed(_, let fault): fault.hint
        case .badAddress:
            "postgresql://HOST/DATABASE; a password goes into a file named by passfile= or PGPASSFILE, or into PGPASSWORD"
        case .noClientLibrary: "install the package libpq5"
        case .emptyDatabase(let path):
            "check the name of the database; skan migrate --store \(path) makes a new store in it"
        case .notMigrated(let path, _, _): "skan migrate --store \(path)"
        case .notSynchronous: "set synchronous_standby_names on the server, or leave out --require-synchronous"
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// The message and the hint, for places with room for one text.
    package var description: String {
        [message, hint].compactMap(\.self).joined(separator: "; ")
    }
}
