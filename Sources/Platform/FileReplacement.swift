#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A lock on the changes of a file, and the way to replace the file as a whole: a reader sees the former or the new
/// one, never half of one.
///
/// A symlink stays, and the file it leads to is replaced. The folder of that file carries the lock.
package struct FileReplacement: ~Copyable {
    /// Why a file cannot be locked or written.
    package struct Problem: Error, Hashable {
        /// What the system says.
        package let reason: String
    }

    private let path: ResolvedPath
    private let folder: Int32

    /// Waits for the lock of a file that need not exist; throws if its folder cannot be locked.
    package init(locking path: String) throws(Problem) {
        let path = try Self.resolved(path)
        let folder = open(Self.folder(of: path.text), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw Self.problem()
        }
        guard flock(folder, LOCK_EX) == 0 else {
            let problem = Self.problem()
            close(folder)
            throw problem
        }
        self.path = path
        self.folder = folder
    }

    deinit {
        close(folder)
    }

    /// Replaces the file, keeping owner and mode; `mode` is for a file that did not exist.
    ///
    /// When it throws, the former file is as it was.
    package borrowing func replace(with bytes: [UInt8], mode: UInt32) throws(Problem) {
        try Self.replace(path, with: bytes, mode: mode)
        guard fsync(folder) == 0 else {
            throw Self.problem()
        }
    }

    /// Replaces a file that no one else changes, without the lock.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32) throws(Problem) {
        try replace(try resolved(path), with: bytes, mode: mode)
    }

    /// Where the new content is written first: beside what a symlink leads to.
    package static func temporaryPath(of path: ResolvedPath) -> String {
        path.text + ".new"
    }

    private static func replace(_ path: ResolvedPath, with bytes: [UInt8], mode: UInt32) throws(Problem) {
        let temporary = temporaryPath(of: path)
        // The file may be changed by a different user than the server runs as.
        var former = stat()
        let hasFormer = stat(path.text, &former) == 0
        // A killed run may have left it behind.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw problem()
        }
        let isOwned =
            !hasFormer
            || fchown(descriptor, former.st_uid, former.st_gid) == 0 && fchmod(descriptor, former.st_mode & 0o777) == 0
        guard isOwned, writeAll(bytes, to: descriptor), fsync(descriptor) == 0, rename(temporary, path.text) == 0 else {
            let problem = problem()
            close(descriptor)
            unlink(temporary)
            throw problem
        }
        close(descriptor)
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                guard count > 0 || errno == EINTR else {
                    return false
                }
                written += max(0, count)
            }
            return true
        }
    }

    private static func resolved(_ path: String) throws(Problem) -> ResolvedPath {
        do throws(ResolvedPath.Problem) {
            return try ResolvedPath(path)
        } catch {
            throw Problem(reason: error.reason)
        }
    }

    /// The folder of a path without symlinks, which begins with a slash.
    private static func folder(of path: String) -> String {
        String(path[...(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)])
    }

    private static func problem() -> Problem {
        Problem(reason: String(cString: strerror(errno)))
    }
}
