import AttributionStore

/// Compares the files that SQLite has open with those now at their paths.
///
/// SQLite keeps writing to a removed file, and a commit extends a truncated one again, so acknowledged rows could be
/// lost unnoticed. Every commit is therefore checked before and after.
struct FileWatch: Sendable {
    private let path: String
    private let store: FileIdentity
    private var storeSize: Int64
    /// The log.
    let log: WriteAheadLog
    private var header: WriteAheadLog.Header
    /// The number of valid frames in the log as of the last commit.
    private(set) var frames: Int
    private let index: FileIdentity
    private var indexSize: Int64

    /// Records the current files; nil if one is missing or is not the file SQLite uses.
    ///
    /// The log and its index exist only after a commit.
    ///
    /// - Parameters:
    ///   - path: The database, with links resolved.
    ///   - store: The file that holds the lease.
    ///   - frames: The frames in the log after a commit.
    init?(path: String, store: FileIdentity, frames: Int) {
        guard let status = FileStatus(path: path), status.identity == store,
            let log = WriteAheadLog(path: path + "-wal"), let header = log.header(),
            let index = FileStatus(path: path + "-shm")
        else {
            return nil
        }
        self.path = path
        self.store = store
        storeSize = status.size
        self.log = log
        self.header = header
        self.frames = frames
        self.index = index.identity
        indexSize = index.size
    }

    /// Checks before a transaction that everything is as the last commit left it.
    mutating func lossBefore() -> StoreLoss? {
        if let loss = lossOfNames() {
            return loss
        }
        guard let now = log.header(), now == header || now.isSuccessor(of: header) else {
            return .logDamaged
        }
        if now != header {
            // A transaction that was rolled back had reset the log.
            header = now
            frames = 0
        }
        return isLongEnough ? nil : .logDamaged
    }

    /// Checks after a commit, before it is acknowledged; the commit may have reset the log.
    ///
    /// - Parameter frames: The frames in the log now.
    /// - Returns: What was lost; nil if nothing was.
    mutating func lossAfter(frames: Int) -> StoreLoss? {
        self.frames = frames
        if let loss = lossOfNames() {
            return loss
        }
        guard let now = log.header(), now == header || now.isSuccessor(of: header) else {
            return .logDamaged
        }
        header = now
        return isLongEnough ? nil : .logDamaged
    }

    private var isLongEnough: Bool {
        log.size >= WriteAheadLog.size(frames: frames, pageSize: header.pageSize)
    }

    private mutating func lossOfNames() -> StoreLoss? {
        guard let status = FileStatus(path: path), status.identity == store else {
            return .storeMoved
        }
        guard status.size >= storeSize else {
            return .storeTruncated
        }
        storeSize = status.size
        guard FileStatus(path: path + "-wal")?.identity == log.identity else {
            return .logMoved
        }
        guard let status = FileStatus(path: path + "-shm"), status.identity == index else {
            return .indexMoved
        }
        guard status.size >= indexSize else {
            return .indexTruncated
        }
        indexSize = status.size
        return nil
    }
}
