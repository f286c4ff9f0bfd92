import AttributionStore
import Foundation
import GRDB
import GRDBSQLite

/// A prepared statement run through SQLite's C interface, for the few statements that run for every postback.
///
/// It must not outlive the database access in which it was made.
struct HotStatement {
    private let statement: Statement
    private let db: Database
    private let arena: Arena

    init(_ db: Database, sql: String, _ arena: Arena) throws {
        self.db = db
        self.arena = arena
        statement = try db.cachedStatement(sql: sql)
    }

    /// Memory for the texts and blobs bound in one run, so that SQLite does not allocate a copy of each.
    final class Arena {
        fileprivate let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 1)

        deinit {
            memory.deallocate()
        }
    }

    /// The parameters of one run, bound in order.
    struct Parameters {
        fileprivate let handle: OpaquePointer
        fileprivate var free: Slice<UnsafeMutableRawBufferPointer>
        fileprivate var index: CInt = 0
        fileprivate var result: CInt = SQLITE_OK

        mutating func bind(_ number: Int64) {
            note(sqlite3_bind_int64(handle, next(), number))
        }

        mutating func bind(_ text: String) {
            var text = text
            let index = next()
            text.withUTF8 { bytes in
                let (stored, lifetime) = store(UnsafeRawBufferPointer(bytes))
                let characters = stored.assumingMemoryBound(to: CChar.self)
                note(sqlite3_bind_text(handle, index, characters, CInt(bytes.count), lifetime))
            }
        }

        mutating func bind(_ blob: [UInt8]) {
            let index = next()
            blob.withUnsafeBytes { bytes in
                let (stored, lifetime) = store(bytes)
                note(sqlite3_bind_blob(handle, index, stored, CInt(bytes.count), lifetime))
            }
        }

        mutating func bind(_ digest: Digest16) {
            let index = next()
            withUnsafeBytes(of: (digest.high.bigEndian, digest.low.bigEndian)) { bytes in
                let (stored, lifetime) = store(bytes)
                note(sqlite3_bind_blob(handle, index, stored, CInt(bytes.count), lifetime))
            }
        }

        /// Copies bytes into the arena; if they do not fit, SQLite copies them.
        private mutating func store(
            _ bytes: UnsafeRawBufferPointer
        ) -> (UnsafeRawPointer, sqlite3_destructor_type?) {
            guard bytes.count < free.count, let start = free.base.baseAddress?.advanced(by: free.startIndex) else {
                return (bytes.baseAddress ?? UnsafeRawPointer(handle), HotStatement.transient)
            }
            if let source = bytes.baseAddress {
                start.copyMemory(from: source, byteCount: bytes.count)
            }
            free = free.dropFirst(bytes.count)
            return (UnsafeRawPointer(start), nil)
        }

        private mutating func next() -> CInt {
            index += 1
            return index
        }

        private mutating func note(_ result: CInt) {
            if self.result == SQLITE_OK {
                self.result = result
            }
        }
    }

    /// Runs the statement, which returns no rows.
    func run(_ bind: (inout Parameters) -> Void) throws {
        let handle = statement.sqliteStatement
        var parameters = Parameters(handle: handle, free: arena.memory[...])
        bind(&parameters)
        try check(parameters.result, SQLITE_OK)
        let result = sqlite3_step(handle)
        sqlite3_reset(handle)
        // The bindings point into the arena, which the next run overwrites.
        sqlite3_clear_bindings(handle)
        try check(result, SQLITE_DONE)
    }

    /// A row of the result, valid until the statement is reset.
    struct Row {
        fileprivate let handle: OpaquePointer

        func integer(_ column: CInt) -> Int64 {
            sqlite3_column_int64(handle, column)
        }

        func text(_ column: CInt) -> String {
            String(decoding: blob(column), as: UTF8.self)
        }

        func blob(_ column: CInt) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
        }
    }

    /// Runs the statement and passes its first row, if any, to a closure.
    func fetch(bind: (inout Parameters) -> Void, _ use: (Row) throws -> Void) throws {
        let handle = statement.sqliteStatement
        var parameters = Parameters(handle: handle, free: arena.memory[...])
        bind(&parameters)
        try check(parameters.result, SQLITE_OK)
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        let result = sqlite3_step(handle)
        guard result == SQLITE_ROW else {
            return try check(result, SQLITE_DONE)
        }
        try use(Row(handle: handle))
    }

    private func check(_ result: CInt, _ expected: CInt) throws {
        guard result == expected else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: result),
                message: sqlite3_errmsg(db.sqliteConnection).map { String(cString: $0) })
        }
    }

    /// `SQLITE_TRANSIENT`: SQLite copies the bytes before it returns.
    fileprivate static let transient = unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
}
