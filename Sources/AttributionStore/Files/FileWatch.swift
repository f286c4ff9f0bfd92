/// Compares the files SQLite has open with those that are where it opened them.
///
/// SQLite goes on writing into a file that was removed, and a commit into one that was truncated makes it look longer
/// again: what was acknowledged would be gone without a sign. So every commit is checked on both sides.
struct FileWatch: Sendable {
    private let path: String
    private let store: FileIdentity
    private var storeSize: Int64
    /// The log.
    let log: WriteAheadLog
    private var header: WriteAheadLog.Header
    /// The frames of the log that count, as of the last commit.
    private(set) var frames: Int
    private let index: FileIdentity
    private var indexSize: Int64

    /// Remembers the files as they are; nil when they are not what SQLite works with, which needs a commit first.
    ///
    /// - Parameters:
    ///   - path: The database, with its links resolved.
    ///   - store: The file that carries the lease.
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

    /// Looks before a transaction: everything must be as the last commit left it.
    mutating func lossBefore() -> StoreLoss? {
        if let loss = lossOfNames() {
            return loss
        }
        guard let now = log.header(), now == header || now.isSuccessor(of: header) else {
            return .logDamaged
        }
        if now != header {
            // A transaction that was rolled back had begun the log again.
            header = now
            frames = 0
        }
        return isLongEnough ? nil : .logDamaged
    }

    /// Looks after a commit and before anybody hears of it: the log may have been begun again.
    ///
    /// - Parameter frames: The frames in the log now.
    /// - Returns: What was lost, nil for nothing.
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
