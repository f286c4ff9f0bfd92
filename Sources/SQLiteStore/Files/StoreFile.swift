import AttributionStore
import Foundation
import Synchronization

/// The only descriptor of a database file that this process has besides SQLite's own, but for one that taking over a copy
/// leaves open.
///
/// It holds the lease: `flock` on the file itself, so that a second owner is kept out whatever path it uses. It is
/// never closed, because closing any descriptor of a file drops SQLite's locks on it. Opening the file again finds this
/// descriptor by device and inode.
///
/// - SeeAlso: [How To Corrupt An SQLite Database File, 2.2](https://www.sqlite.org/howtocorrupt.html)
final class StoreFile: Sendable {
    /// The device and inode.
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

    /// Returns the file if it is open already, or opens it.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - isWritable: Whether it will be written; if so, it is created if it does not exist.
    /// - Returns: The file.
    /// - Throws: ``AttributionStore/StoreError/missing(path:)``,
    ///   ``AttributionStore/StoreError/cannotOpen(path:reason:)``, ``AttributionStore/StoreError/notAStore(path:)`` for
    ///   anything but a file, ``AttributionStore/StoreError/linked(path:names:folder:)`` for one with several names,
    ///   because SQLite finds its log by its name, and ``AttributionStore/StoreError/remoteFileSystem(path:kind:)``.
    static func open(_ path: String, isWritable: Bool) throws(StoreError) -> StoreFile {
        let result: Result<StoreFile, StoreError> = all.withLock { files in
            do throws(StoreError) {
                if let status = FileStatus(path: path) {
                    guard status.isRegular else {
                        throw .notAStore(path: path)
                    }
                    guard status.names <= 1 else {
                        throw StoreError(linked: path, status)
                    }
                    if let file = files[status.identity] {
                        try checkAccess(path, isWritable)
                        return .success(file)
                    }
                }
                let file = try make(path, isWritable)
                // The file may have been renamed to this path since the check above.
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
        // SQLite creates its files with the same mode. O_NONBLOCK: opening a FIFO must not block.
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

    /// Whether the file is empty.
    var isEmpty: Bool {
        FileStatus(descriptor: descriptor)?.size == 0
    }

    /// Reads the header through this descriptor.
    func header() -> StoreHeader {
        var bytes = [UInt8](repeating: 0, count: StoreHeader.size)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return StoreHeader(Array(bytes.prefix(max(0, count))))
    }

    /// Overwrites bytes of the file and syncs it; its owner only, while SQLite does not have it open for writing.
    func write(_ bytes: [UInt8], at offset: Int, _ path: String) throws(StoreError) {
        // The other descriptor may be for reading. This one is not closed either.
        let descriptor = Foundation.open(path, O_WRONLY | O_CLOEXEC)
        if descriptor >= 0, FileStatus(descriptor: descriptor)?.identity != identity {
            throw .cannotOpen(path: path, reason: "it was replaced")
        }
        guard descriptor >= 0, pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count,
            fsync(descriptor) == 0
        else {
            throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
    }

    // MARK: The lease

    /// Acquires the exclusive lease of an owner.
    ///
    /// - Returns: The lease; nil if there is another lease, in this process or in another.
    func leaseExclusively() -> StoreLease? {
        lease.withLock { lease in
            guard case .none = lease, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                return nil
            }
            lease = .exclusive
            return StoreLease(self)
        }
    }

    /// Keeps owners out while the file is read as immutable.
    ///
    /// - Returns: The lease; nil if the file has an owner.
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

/// The right to write a file, or to read it while there is no writer; released once, at the latest by `deinit`.
final class StoreLease: Sendable {
    private let file: StoreFile
    private let isHeld = Mutex(true)

    fileprivate init(_ file: StoreFile) {
        self.file = file
    }

    deinit {
        release()
    }

    /// Releases the lease.
    func release() {
        isHeld.withLock { isHeld in
            if isHeld {
                file.release()
            }
            isHeld = false
        }
    }
}
