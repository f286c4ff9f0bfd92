import CSQLite

/// A database opened in this process, for writing millions of rows.
final class SQLiteFile {
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil)
        guard let opened, code == SQLITE_OK else {
            sqlite3_close(opened)
            throw BenchmarkFailure("cannot open \(path): SQLite's error \(code)")
        }
        handle = opened
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing of interest.
    func run(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    fileprivate func check(_ code: Int32) throws {
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            throw BenchmarkFailure("SQLite: \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    /// A statement used again and again.
    final class Statement {
        private let file: SQLiteFile
        private let handle: OpaquePointer

        init(_ file: SQLiteFile, _ sql: String) throws {
            var prepared: OpaquePointer?
            try file.check(sqlite3_prepare_v3(file.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
            guard let prepared else {
                throw BenchmarkFailure("SQLite: no statement in \(sql)")
            }
            self.file = file
            handle = prepared
        }

        deinit {
            sqlite3_finalize(handle)
        }

        func bind(_ number: Int64, at index: Int32) {
            sqlite3_bind_int64(handle, index, number)
        }

        /// Binds bytes, which SQLite copies.
        func bind(_ bytes: ArraySlice<UInt8>, at index: Int32) {
            bytes.withUnsafeBytes {
                // An empty buffer may have no address, which SQLite takes for NULL.
                if $0.count == 0 {
                    _ = sqlite3_bind_zeroblob(handle, index, 0)
                } else {
                    _ = sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.transient)
                }
            }
        }

        func bind(_ text: String, at index: Int32) {
            sqlite3_bind_text(handle, index, text, -1, Self.transient)
        }

        /// Runs it, and makes it ready for the next values.
        func run() throws {
            let code = sqlite3_step(handle)
            sqlite3_reset(handle)
            try file.check(code)
        }

        /// SQLite's name for values it has to copy, a macro of a cast.
        private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
