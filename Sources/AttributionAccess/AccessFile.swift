import CheckedFiles

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The file a list of tokens is kept in: readable by its owner only, and replaced as a whole by one of the same owner and
/// mode.
package struct AccessFile: Sendable {
    /// Where it is.
    package let path: String

    /// A list of 256 tokens takes about 60 KiB.
    private static let limit = 1 << 20

    /// Which file was read: a replaced or changed one has another stamp.
    struct Stamp: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modifiedSeconds: Int
        let modifiedNanoseconds: Int
        let changedSeconds: Int
        let changedNanoseconds: Int

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            modifiedSeconds = status.st_mtim.tv_sec
            modifiedNanoseconds = status.st_mtim.tv_nsec
            changedSeconds = status.st_ctim.tv_sec
            changedNanoseconds = status.st_ctim.tv_nsec
        }
    }

    /// Names a file.
    ///
    /// - Parameter path: Where it is; it need not exist yet.
    package init(_ path: String) {
        self.path = path
    }

    /// Reads the list.
    ///
    /// - Returns: The list.
    /// - Throws: ``AccessProblem`` when it cannot be read, others can read it, or it is no list of tokens.
    package func load() throws(AccessProblem) -> AccessList {
        try read().list
    }

    /// Reads, changes and replaces the list while no other process does.
    ///
    /// - Parameters:
    ///   - makingFile: Whether a file that does not exist is made.
    ///   - change: Changes the list; when it throws, the file stays.
    /// - Returns: What the change returned, once the new file is on disk.
    /// - Throws: ``AccessProblem`` of the change, or when the file cannot be read or written.
    package func update<Result>(
        makingFile: Bool,
        _ change: (inout AccessList) throws(AccessProblem) -> Result
    ) throws(AccessProblem) -> Result {
        // The folder is what stays when the file is replaced, so it carries the lock.
        let folder = open(folderPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0, flock(folder, LOCK_EX) == 0 else {
            throw .unwritable(file: path, reason: Self.systemError())
        }
        defer { close(folder) }
        var list = makingFile && currentStamp() == nil ? AccessList() : try load()
        let result = try change(&list)
        try replace(with: list.document)
        guard fsync(folder) == 0 else {
            throw .unwritable(file: path, reason: Self.systemError())
        }
        return result
    }

    // MARK: Reading

    /// The stamp of the file as it is now; nil when there is none.
    func currentStamp() -> Stamp? {
        var status = stat()
        return stat(path, &status) == 0 ? Stamp(status) : nil
    }

    /// A list as it was read, and which file it was in.
    package struct Reading: Sendable {
        /// The list.
        package let list: AccessList
        let stamp: Stamp
    }

    /// Reads the list and remembers which file it was in.
    ///
    /// - Throws: As ``load()``.
    package func read() throws(AccessProblem) -> Reading {
        let status: stat
        let bytes: [UInt8]
        do throws(CheckedFile.Problem) {
            let file = try CheckedFile(path)
            try file.checkIsSecret()
            status = file.status
            bytes = status.st_size <= Self.limit ? try file.bytes(limit: Self.limit) : []
        } catch {
            switch error {
            case .unreadable(let reason): throw .unreadable(file: path, reason: reason)
            case .openToOthers(let mode): throw .openToOthers(file: path, mode: mode)
            }
        }
        guard status.st_size <= Self.limit else {
            throw .malformed(file: path, reason: "found \(status.st_size) bytes, expected at most \(Self.limit)")
        }
        return Reading(list: try AccessList(document: bytes, file: path), stamp: Stamp(status))
    }

    // MARK: Writing

    private var folderPath: String {
        guard let slash = path.lastIndex(of: "/") else {
            return "."
        }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Replaces the file as a whole; the new one has the former's owner and mode, or 0600 where there was none.
    func replace(with text: String) throws(AccessProblem) {
        let temporary = path + ".new"
        // The server may run as another user than whoever changes its list.
        var former = stat()
        let hasFormer = stat(path, &former) == 0
        // What a run that was killed left behind; the lock says that nobody is writing it.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(file: path, reason: Self.systemError())
        }
        let bytes = Array(text.utf8)
        let isOwned =
            !hasFormer
            || fchown(descriptor, former.st_uid, former.st_gid) == 0 && fchmod(descriptor, former.st_mode & 0o777) == 0
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        guard isOwned, isWritten, rename(temporary, path) == 0 else {
            let reason = Self.systemError()
            close(descriptor)
            unlink(temporary)
            throw .unwritable(file: path, reason: reason)
        }
        close(descriptor)
    }

    private static func systemError() -> String {
        String(cString: strerror(errno))
    }
}
