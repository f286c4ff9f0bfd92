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
    /// The size in bytes.
    let size: Int64
    /// How many names it has by hard links; 0 for a file that was removed.
    let names: Int
    /// Whether it is a regular file.
    let isRegular: Bool

    /// Reads the attributes of the file at a path, following links; nil if there is none or it cannot be accessed.
    init?(path: String) {
        if let status = Self(AT_FDCWD, path, flags: 0) {
            self = status
            return
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            return nil
        }
        self.init(status)
    }

    /// Reads the attributes of an open file.
    init?(descriptor: CInt) {
        if let status = Self(descriptor, "", flags: Self.emptyPath) {
            self = status
            return
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return nil
        }
        self.init(status)
    }

    /// `AT_EMPTY_PATH` of `<fcntl.h>`, which Swift does not import.
    private static let emptyPath: CInt = 0x1000

    /// Reads them without the times: the first write after these were read updates them, from Linux 6.13 on, and then
    /// `fdatasync` writes the inode, too; on ext4 without a journal, each commit takes a third longer.
    ///
    /// Nil also where the system lacks the call, or forbids it.
    private init?(_ descriptor: CInt, _ path: String, flags: CInt) {
        var status = statx()
        guard file_system_status(descriptor, path, flags, &status) == 0 else {
            return nil
        }
        identity = FileIdentity(device: UInt64(file_system_device(&status)), inode: status.stx_ino)
        size = Int64(status.stx_size)
        names = Int(status.stx_nlink)
        isRegular = mode_t(status.stx_mode) & S_IFMT == S_IFREG
    }

    private init(_ status: stat) {
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        size = Int64(status.st_size)
        names = Int(status.st_nlink)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}
