package import AttributionStore
import CFileSystem
import Foundation
import Platform
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
    private let lock = Mutex(Lock.none)

    private enum Lock {
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
    /// - Throws: ``AttributionStore/StoreError/missing(path:)``,
    ///   ``AttributionStore/StoreError/cannotOpen(path:reason:)``, ``AttributionStore/StoreError/notAStore(path:)`` for
    ///   anything but a file, and ``AttributionStore/StoreError/remoteFileSystem(path:kind:)``.
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

    var isEmpty: Bool {
        FileStatus(descriptor: descriptor)?.size == 0
    }

    /// Reads the header through this descriptor.
    func header(_ path: String) throws(StoreError) -> StoreHeader {
        var bytes = [UInt8](repeating: 0, count: StoreHeader.size)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else {
            throw .failed(path: path, .input(code: errno))
        }
        return StoreHeader(Array(bytes.prefix(count)))
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

    // MARK: The lock

    /// Takes the lock, unless it is taken in a way that excludes this, in this process or in another.
    fileprivate func take(isShared: Bool) -> Bool {
        lock.withLock { lock in
            if case .shared(let holders) = lock, isShared {
                lock = .shared(holders: holders + 1)
                return true
            }
            guard case .none = lock, flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
                return false
            }
            lock = isShared ? .shared(holders: 1) : .exclusive
            return true
        }
    }

    fileprivate func release() {
        lock.withLock { lock in
            if case .shared(let holders) = lock, holders > 1 {
                lock = .shared(holders: holders - 1)
                return
            }
            flock(descriptor, LOCK_UN)
            lock = .none
        }
    }
}

/// The right to write a file, or to read it while there is no writer; released once, at the latest by `deinit`.
package final class StoreLease: Sendable {
    private let file: StoreFile
    private let isHeld = Mutex(true)

    /// Acquires the lease of an owner.
    ///
    /// - Throws: ``AttributionStore/StoreError/inUse(path:)`` if there is another lease.
    init(owning file: StoreFile, path: String) throws(StoreError) {
        guard file.take(isShared: false) else {
            throw .inUse(path: path)
        }
        self.file = file
    }

    /// Keeps owners out while the file is read.
    ///
    /// - Throws: ``AttributionStore/StoreError/inUse(path:)`` if it has an owner.
    init(sharing file: StoreFile, path: String) throws(StoreError) {
        guard file.take(isShared: true) else {
            throw .inUse(path: path)
        }
        self.file = file
    }

    deinit {
        release()
    }

    /// Acquires the lease of an owner of an existing store, to change another of its files.
    ///
    /// - Throws: ``AttributionStore/StoreError/inUse(path:)`` if there is another lease.
    package convenience init(owning path: String) throws(StoreError) {
        let path = try ResolvedPath(store: path).text
        try self.init(owning: StoreFile.open(path, isWritable: true), path: path)
    }

    /// Keeps owners out of a store that is only read.
    ///
    /// - Throws: ``AttributionStore/StoreError/inUse(path:)`` if it has an owner.
    package convenience init(sharing path: String) throws(StoreError) {
        let path = try ResolvedPath(store: path).text
        try self.init(sharing: StoreFile.open(path, isWritable: false), path: path)
    }

    package func release() {
        isHeld.withLock { isHeld in
            if isHeld {
                file.release()
            }
            isHeld = false
        }
    }
}

/// File systems whose locks do not reliably exclude other machines; a store must not be on them.
package enum FileSystemKind: String, CaseIterable, Sendable {
    case nfs = "NFS"
    case smb = "SMB"
    case ceph = "Ceph"
    case afs = "AFS"
    case plan9 = "9p"

    /// Identifies a file system by its magic number; nil for all others, such as overlay and tmpfs, which are allowed.
    ///
    /// - SeeAlso: `man 2 statfs`
    package init?(magic: UInt32) {
        switch magic {
        case 0x6969: self = .nfs
        case 0x517B, 0xFF53_4D42, 0xFE53_4D42: self = .smb
        case 0x00C3_6400: self = .ceph
        case 0x5346_414F, 0x6B41_4653: self = .afs
        case 0x0102_1997: self = .plan9
        default: return nil
        }
    }

    /// The kind of the file system an open file is on.
    fileprivate init?(descriptor: CInt) {
        var status = statfs()
        guard fstatfs(descriptor, &status) == 0 else {
            return nil
        }
        self.init(magic: UInt32(truncatingIfNeeded: status.f_type))
    }
}
