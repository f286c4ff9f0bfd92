package import GRDB
import GRDBSQLite

/// Writes the frames of a commit to the write-ahead log at once; SQLite makes two writes for each frame.
///
/// What SQLite writes to one place after another is kept here until it syncs the log. With `synchronous = FULL` it
/// syncs in every commit, and publishes the frames in the index only after that, so no other connection looks for
/// frames that are not in the file. A write that fails makes the sync fail, and with it the commit.
package struct LogWriteBuffer {
    private typealias Log = OpenFile<LogWriteBuffer>

    /// The most that SQLite's own method writes at once: 31 frames of 4 KiB, more than an ordinary commit has.
    private static let capacity = 0x1FFFF

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 4_096)
    /// The offset of `bytes` in the log.
    private var start: sqlite3_int64 = 0
    private var count = 0

    /// Gathers the writes of a connection's log until the connection is closed.
    ///
    /// It does nothing where SQLite publishes frames that it has not synced: with a lower `synchronous`, which must not
    /// be changed later, or on a file system where a write may damage its surroundings.
    ///
    /// - Parameter db: A connection in WAL mode, outside a transaction.
    /// - Returns: Whether writes are gathered.
    /// - Throws: SQLite's errors.
    @discardableResult
    package static func install(on db: Database) throws -> Bool {
        var isOverwritingSafe: CInt = -1
        guard try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0 >= 2,
            sqlite3_file_control(
                db.sqliteConnection, nil, SQLITE_FCNTL_POWERSAFE_OVERWRITE, &isOverwritingSafe) == SQLITE_OK,
            isOverwritingSafe == 1
        else {
            return false
        }
        try Log.replaceMethods(of: SQLITE_FCNTL_JOURNAL_POINTER, on: db, LogWriteBuffer()) { methods in
            methods.xWrite = { LogWriteBuffer.write($0, $1, Int($2), $3) }
            methods.xRead = { LogWriteBuffer.read($0, $1, Int($2), $3) }
            methods.xSync = { file, flags in LogWriteBuffer.whole(file) { $0.xSync(file, flags) } }
            methods.xFileSize = { file, size in LogWriteBuffer.whole(file) { $0.xFileSize(file, size) } }
            methods.xTruncate = { file, size in LogWriteBuffer.whole(file) { $0.xTruncate(file, size) } }
            methods.xClose = { file in
                // Without what is gathered: no commit is among what was not synced, and another process may have
                // written there by now.
                Log.of(file)?.pointee.state.bytes.deallocate()
                return Log.close(file)
            }
        }
        return true
    }

    private static func write(
        _ file: Log.Handle?, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: sqlite3_int64
    ) -> CInt {
        guard let log = Log.of(file), let bytes else {
            return SQLITE_MISUSE
        }
        let gathered = log.pointee.state
        if offset != gathered.end || gathered.count + count > capacity {
            let code = writeOut(file, log)
            guard code == SQLITE_OK else {
                return code
            }
            log.pointee.state.start = offset
        }
        guard count <= capacity else {
            return log.pointee.original.pointee.xWrite(file, bytes, CInt(count), offset)
        }
        UnsafeMutableRawBufferPointer(rebasing: gathered.bytes[log.pointee.state.count...])
            .copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
        log.pointee.state.count += count
        return SQLITE_OK
    }

    /// Reads from what is gathered, or from the file.
    ///
    /// It writes only to read what is partly in either, as SQLite does within a commit: SQLite may go on with a
    /// transaction after a read that failed.
    private static func read(
        _ file: Log.Handle?, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: sqlite3_int64
    ) -> CInt {
        guard let log = Log.of(file), let bytes else {
            return SQLITE_MISUSE
        }
        let gathered = log.pointee.state
        let end = offset + sqlite3_int64(count)
        if gathered.count == 0 || end <= gathered.start || gathered.end <= offset {
            return log.pointee.original.pointee.xRead(file, bytes, CInt(count), offset)
        }
        if gathered.start <= offset, end <= gathered.end {
            let first = Int(offset - gathered.start)
            UnsafeMutableRawBufferPointer(start: bytes, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: gathered.bytes[first..<first + count]))
            return SQLITE_OK
        }
        return whole(file) { $0.xRead(file, bytes, CInt(count), offset) }
    }

    /// Where what is gathered ends in the log.
    private var end: sqlite3_int64 {
        start + sqlite3_int64(count)
    }

    /// Writes what is gathered, once: as with SQLite's own writes, whoever hears of an error gives the transaction up.
    private static func writeOut(_ file: Log.Handle?, _ log: UnsafeMutablePointer<Log>) -> CInt {
        let gathered = log.pointee.state
        guard gathered.count > 0 else {
            return SQLITE_OK
        }
        log.pointee.state.count = 0
        return log.pointee.original.pointee.xWrite(
            file, gathered.bytes.baseAddress, CInt(gathered.count), gathered.start)
    }

    /// Calls one of SQLite's own methods on a log that has everything.
    private static func whole(_ file: Log.Handle?, _ method: (sqlite3_io_methods) -> CInt) -> CInt {
        guard let log = Log.of(file) else {
            return SQLITE_MISUSE
        }
        let code = writeOut(file, log)
        return code == SQLITE_OK ? method(log.pointee.original.pointee) : code
    }
}
