import Foundation
import Synchronization

/// The one descriptor this process has of a database file beside SQLite's own.
///
/// It carries the lease: `flock` on the file itself, so that no other name for the file lets a second owner in. It is
/// never closed while the process lives, for closing any descriptor of a file drops the locks that SQLite has on it; it
/// is found again by device and inode instead of being opened a second time.
///
/// - SeeAlso: [How To Corrupt An SQLite Database File, 2.2](https://www.sqlite.org/howtocorrupt.html)
final class StoreFile: Sendable {
    /// Which file it is.
    let identity: FileIdentity
    private let descriptor: CInt
    private let lease = Mutex(Lease.none)

    private enum Lease {
        case none
        case shared(holders: Int)
        case exclusive
    }

    private static let all = Mutex<[FileIdentity: StoreFile]>([:])

    private init(_ descriptor: CInt, _ identity: FileIdentity) {
        self.descriptor = descriptor
        self.identity = identity
    }

    /// Finds the file, or opens it.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - isWritable: Whether it will be written; then it is created when it does not exist.
    /// - Returns: The file.
    /// - Throws: ``StoreError/missing(path:)``, ``StoreError/cannotOpen(path:reason:)``,
    ///   ``StoreError/notAStore(path:)`` for anything but a file, and ``StoreError/remoteFileSystem(path:kind:)``.
    static func open(_ path: String, isWritable: Bool) throws(StoreError) -> StoreFile {
        let result: Result<StoreFile, StoreError> = all.withLock { files in
            do throws(StoreError) {
                if let status = FileStatus(path: path) {
                    guard status.isRegular else {
                        throw .notAStore(path: path)
                    }
                    if let file = files[status.identity] {
                        try checkAccess(path, isWritable)
                        return .success(file)
                    }
                }
                let file = try make(path, isWritable)
                // The file may have been put in place of another since it was looked for.
                if let known = files[file.identity] {
                    return .success(known)
                }
                files[file.identity] = file
                return .success(file)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func make(_ path: String, _ isWritable: Bool) throws(StoreError) -> StoreFile {
        // SQLite makes its files with this mode too. O_NONBLOCK: a FIFO put there must not hold us up.
        let flags = (isWritable ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NONBLOCK
        let descriptor = Foundation.open(path, flags, 0o644)
        guard descriptor >= 0 else {
            let error = errno
            throw error == ENOENT && !isWritable
                ? .missing(path: path) : .cannotOpen(path: path, reason: String(cString: strerror(error)))
        }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular else {
            close(descriptor)
            throw .notAStore(path: path)
        }
        if let kind = FileSystemKind(descriptor: descriptor) {
            close(descriptor)
            throw .remoteFileSystem(path: path, kind: kind.rawValue)
        }
        return StoreFile(descriptor, status.identity)
    }

    private static func checkAccess(_ path: String, _ isWritable: Bool) throws(StoreError) {
        guard access(path, isWritable ? R_OK | W_OK : R_OK) == 0 else {
            throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
    }

    /// Whether there is nothing in it yet.
    var isEmpty: Bool {
        FileStatus(descriptor: descriptor)?.size == 0
    }

    /// Reads the header through this descriptor.
    func header() -> StoreHeader {
        var bytes = [UInt8](repeating: 0, count: StoreHeader.size)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return StoreHeader(Array(bytes.prefix(max(0, count))))
    }

    // MARK: The lease

    /// Takes the file for one owner alone.
    ///
    /// - Returns: The lease; nil when somebody has one, in this process or in another.
    func leaseExclusively() -> StoreLease? {
        lease.withLock { lease in
            guard case .none = lease, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                return nil
            }
            lease = .exclusive
            return StoreLease(self)
        }
    }

    /// Keeps owners out while the file is read as one that does not change.
    ///
    /// - Returns: The lease; nil while the file has an owner.
    func leaseShared() -> StoreLease? {
        lease.withLock { lease in
            switch lease {
            case .exclusive:
                return nil
            case .shared(let holders):
                lease = .shared(holders: holders + 1)
            case .none:
                guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
                    return nil
                }
                lease = .shared(holders: 1)
            }
            return StoreLease(self)
        }
    }

    fileprivate func release() {
        lease.withLock { lease in
            if case .shared(let holders) = lease, holders > 1 {
                lease = .shared(holders: holders - 1)
                return
            }
            flock(descriptor, LOCK_UN)
            lease = .none
        }
    }
}

/// The right to write a file, or to read it as one that nobody writes; given back once, at the latest by the last who has
/// it.
final class StoreLease: Sendable {
    private let file: StoreFile
    private let isHeld = Mutex(true)

    fileprivate init(_ file: StoreFile) {
        self.file = file
    }

    deinit {
        release()
    }

    /// Gives it back.
    func release() {
        isHeld.withLock { isHeld in
            if isHeld {
                file.release()
            }
            isHeld = false
        }
    }
}
