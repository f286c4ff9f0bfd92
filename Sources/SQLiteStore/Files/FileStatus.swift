import AttributionStore
import CFileSystem
import Foundation

/// The device and inode of a file, which are the same for every path and link to it.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// The attributes of a file, read without opening it.
struct FileStatus: Sendable {
    let identity: FileIdentity
    let size: Int64
    let isRegular: Bool

    /// Reads the attributes of the file at a path, following links; nil if there is none or it cannot be accessed.
    init?(path: String) {
        self.init(AT_FDCWD, path, flags: 0)
    }

    /// Reads the attributes of the file at a path, following links; nil if there is none.
    ///
    /// - Throws: ``AttributionStore/StoreFault/input(code:)`` with the system's error number: then nothing is known of the
    ///   file.
    static func checked(_ path: String) throws(StoreFault) -> FileStatus? {
        if let status = FileStatus(path: path) {
            return status
        }
        let error = errno
        guard error == ENOENT || error == ENOTDIR else {
            throw .input(code: error)
        }
        return nil
    }

    /// Reads the attributes of an open file.
    init?(descriptor: CInt) {
        // `AT_EMPTY_PATH` of `<fcntl.h>`, which Swift does not import.
        self.init(descriptor, "", flags: 0x1000)
    }

    /// Reads them without the times: from Linux 6.13 on, the first write after reading these updates them, and then
    /// `fdatasync` writes the inode too; on ext4 without a journal, each commit takes a third longer.
    private init?(_ descriptor: CInt, _ path: String, flags: CInt) {
        var status = statx()
        guard file_system_status(descriptor, path, flags, &status) == 0 else {
            return nil
        }
        identity = FileIdentity(device: UInt64(file_system_device(&status)), inode: status.stx_ino)
        size = Int64(status.stx_size)
        isRegular = mode_t(status.stx_mode) & S_IFMT == S_IFREG
    }
}

/// Compares the files that SQLite has open with those now at their paths.
///
/// SQLite keeps writing to a removed file, and a commit extends a truncated one again, so acknowledged rows could be
/// lost unnoticed.
struct FileWatch: Sendable {
    private let path: String
    private let store: FileIdentity
    private var storeSize: Int64
    private let logPath: String
    private let log: FileIdentity
    private let pageSize: Int64

    /// Records the current files; nil if one is missing or is not the file SQLite uses.
    ///
    /// - Parameters:
    ///   - path: The database, with links resolved, after a commit: without one there is no log.
    ///   - store: The file that holds the lease.
    ///   - pageSize: The size of its pages, in bytes.
    init?(path: String, store: FileIdentity, pageSize: Int64) {
        logPath = path + "-wal"
        guard let status = FileStatus(path: path), status.identity == store, let log = FileStatus(path: logPath) else {
            return nil
        }
        self.path = path
        self.store = store
        self.log = log.identity
        self.pageSize = pageSize
        storeSize = status.size
    }

    /// Checks the files, and again before it judges: a loss ends recording for good.
    ///
    /// - Returns: What was lost; nil if nothing was.
    /// - Throws: The fault of a system that says nothing of the files.
    mutating func loss(frames: Int) throws(StoreFault) -> StoreLoss? {
        guard try look(frames: frames) != nil else {
            return nil
        }
        return try look(frames: frames)
    }

    private mutating func look(frames: Int) throws(StoreFault) -> StoreLoss? {
        guard let status = try FileStatus.checked(path), status.identity == store else {
            return .storeMoved
        }
        guard status.size >= storeSize else {
            return .storeTruncated
        }
        storeSize = status.size
        guard let status = try FileStatus.checked(logPath), status.identity == log else {
            return .logMoved
        }
        // A header of 32 bytes, and one of 24 before each page.
        return status.size >= 32 + Int64(frames) * (24 + pageSize) ? nil : .logTruncated
    }
}
