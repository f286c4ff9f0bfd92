import Foundation

/// Which file a path leads to, whatever the path is called: a symbolic or hard link has the identity of its target.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// What the file system says of a file, without opening it.
struct FileStatus: Sendable {
    let identity: FileIdentity
    /// The size in bytes.
    let size: Int64
    /// Whether it is a regular file.
    let isRegular: Bool

    /// Asks for the file a path leads to; nil when there is none, or it cannot be reached.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return nil
        }
        self.init(status)
    }

    /// Asks for an open file.
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
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}
