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
        var status = stat()
        guard stat(path, &status) == 0 else {
            return nil
        }
        self.init(status)
    }

    /// Reads the attributes of an open file.
    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return nil
        }
        self.init(status)
    }

    private init(_ status: stat) {
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        size = Int64(status.st_size)
        names = Int(status.st_nlink)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}
