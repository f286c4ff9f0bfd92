import GRDB
import GRDBSQLite

/// A file that SQLite has open in one connection, with some of its methods replaced, and what these need to know.
///
/// SQLite finds a file's methods through a pointer in it, which points here until the file is closed.
struct OpenFile<State> {
    typealias Handle = UnsafeMutablePointer<sqlite3_file>

    /// The first member, because the file points at it.
    private var methods: sqlite3_io_methods
    /// SQLite's own.
    let original: UnsafePointer<sqlite3_io_methods>
    var state: State

    /// Replaces methods of a connection's file.
    ///
    /// - Parameters:
    ///   - file: The operation of `sqlite3_file_control` that finds the file.
    ///   - db: The connection, outside a transaction.
    ///   - state: What the methods need to know, made once the file is found.
    ///   - replace: Replaces the methods, which must not capture anything; `xClose` must call ``close(_:)``.
    /// - Throws: SQLite's errors.
    static func replaceMethods(
        of file: CInt, on db: Database, _ state: @autoclosure () -> State,
        _ replace: (inout sqlite3_io_methods) -> Void
    ) throws {
        // Swift keeps this order, but does not promise it.
        precondition(MemoryLayout<Self>.offset(of: \.methods) == 0)
        // SQLite opens the log when it first reads.
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema")
        var handle: Handle?
        let code = sqlite3_file_control(db.sqliteConnection, nil, file, &handle)
        guard code == SQLITE_OK, let handle, let original = handle.pointee.pMethods else {
            throw DatabaseError(resultCode: code == SQLITE_OK ? .SQLITE_CANTOPEN : ResultCode(rawValue: code))
        }
        var methods = original.pointee
        replace(&methods)
        let opened = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        opened.initialize(to: Self(methods: methods, original: original, state: state()))
        handle.pointee.pMethods = UnsafePointer(
            UnsafeMutableRawPointer(opened).assumingMemoryBound(to: sqlite3_io_methods.self))
    }

    /// The file whose methods were replaced.
    static func of(_ handle: Handle?) -> UnsafeMutablePointer<Self>? {
        (handle?.pointee.pMethods).map { UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Self.self) }
    }

    /// Closes the file with SQLite's own methods.
    static func close(_ handle: Handle?) -> CInt {
        guard let handle, let opened = of(handle) else {
            return SQLITE_MISUSE
        }
        let original = opened.pointee.original
        opened.deinitialize(count: 1)
        opened.deallocate()
        handle.pointee.pMethods = original
        return original.pointee.xClose(handle)
    }
}
