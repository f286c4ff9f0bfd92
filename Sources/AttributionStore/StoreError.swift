/// Why a store cannot be opened.
public enum StoreError: Error, Hashable, Sendable {
    /// There is no file at the path.
    case missing(path: String)
    /// The folder of the file does not exist.
    case noFolder(path: String, folder: String)
    /// The file was made by an earlier release and not opened for recording since.
    case olderSchema(path: String)
    /// The file was written by a later release.
    case newerSchema(path: String)
    /// Another process records into the store.
    case inUse(path: String)
    /// The lock beside the store cannot be taken.
    case noLock(path: String, reason: String)
    /// Something was to be recorded into a store opened for reading.
    case openedForReading
    /// The file is something else.
    case notAStore(path: String)
}

extension StoreError: CustomStringConvertible {
    /// What is wrong and how to mend it.
    public var description: String {
        switch self {
        case .missing(let path):
            "there is no store at \(path); start one with: skan serve --listen 127.0.0.1:8080 --store \(path)"
        case .noFolder(let path, let folder):
            "the folder \(folder) of the store \(path) does not exist; create it first"
        case .newerSchema(let path):
            "the store \(path) was written by a later release of skan; use that release"
        case .olderSchema(let path):
            "the store \(path) was made by an earlier release of skan; skan serve brings it up to date when it starts, "
                + "so does skan recount --repair"
        case .inUse(let path):
            "another process records into the store \(path); stop it first, or name another store"
        case .noLock(let path, let reason):
            "cannot lock \(path): \(reason)"
        case .openedForReading:
            "the store was opened for reading; nothing can be recorded"
        case .notAStore(let path):
            "\(path) is not a store of skan; name a file that skan serve made, or a new one"
        }
    }
}
