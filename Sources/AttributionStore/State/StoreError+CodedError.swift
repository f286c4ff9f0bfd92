package import CodedErrors

extension StoreError: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .missing, .noFolder, .emptyDatabase: .noStore
        case .cannotOpen, .remoteFileSystem, .notAStore, .foreignDatabase, .newerSchema, .olderSchema, .logWithoutStore,
            .copyWithLog, .logUnreadable, .linked, .badAddress, .noClientLibrary, .notMigrated:
            .unusableStore
        case .inUse: .storeInUse
        case .damaged, .missingTable, .fenced, .lost, .failed, .notSynchronous: .storeFailed
        }
    }

    /// What is wrong.
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
        case .copyWithLog(let path):
            "\(path) is a backup, and \(path)-wal belongs to the store that was there before"
        case .olderSchema(let path):
            "the store \(path) was made by a development version of skan and cannot be migrated"
        case .linked(let path, let names, _):
            "\(path) has \(names) names (hard links), and what is recorded under one would be missing under another; "
                + "remove all but one"
        case .inUse(let path): "another process has the store \(path)"
        case .damaged(let path, let problem): "the store \(path): it is damaged: \(problem)"
        case .missingTable(let path, let table, _):
            "the store \(path): its table \(table) is missing" + Self.loss(of: table)
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

    /// What is lost with a table that is not derived from others.
    private static func loss(of table: String) -> String {
        switch table {
        case "postback": ", and with it when and for whom each postback came"
        case "postback_body": ", and with it the bytes of all postbacks"
        case "quarantine": ", and with it all bodies that were not counted"
        default: ""
        }
    }

    /// What recording does without a table.
    static func consequence(of table: String) -> String {
        switch table {
        case "owner", "postback", "postback_body": "nothing can be recorded"
        case "quarantine": "postbacks are still recorded, but no other bodies are kept"
        case "delivery", "repeat_delay", "recipient_copy":
            "postbacks are still recorded, but some deliveries are not counted"
        default: "postbacks are still recorded"
        }
    }

    /// What to do under a running server about a missing table.
    static func cure(isRecreated: Bool, _ repair: String) -> String {
        isRecreated ? "run: \(repair)" : "restore a backup"
    }

    /// What is wrong with the store of a running server and what to do, without the path, for anyone who asks.
    package var remark: String {
        switch self {
        case .linked(_, let names, _):
            "the store has \(names) names (hard links), and no command opens it until all but one are removed"
        case .missingTable(_, let table, let isRecreated):
            "the table \(table) is missing; \(Self.consequence(of: table)); "
                + Self.cure(isRecreated: isRecreated, "skan recount --repair")
        default: message
        }
    }

    /// What to do.
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
        case .copyWithLog(let path): "move \(path)-wal and \(path)-shm away"
        case .olderSchema: "name another file"
        case .linked(let path, _, let folder): "find \(folder) -xdev -samefile \(path)"
        case .inUse: "stop it first, or name another store"
        case .damaged: StoreFault.cureOfDamage
        case .missingTable(let path, _, isRecreated: true): "skan recount --repair --store \(path)"
        case .missingTable(_, _, isRecreated: false): "restore a backup"
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
