import GRDB
import GRDBSQLite

/// The pages of a database's file, whether or not a tree leads to them.
///
/// Rows that damage took out of a table, or that a repair left behind with it, are mostly still there. They may be
/// outdated or damaged themselves, so what is found needs a proof. What is only in the log is not found.
struct FilePages {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    private let pageSize: Int
    private let count: Int64

    /// Takes the file that a connection has open; nil if there is none.
    ///
    /// Another descriptor must not be opened: closing it would release the locks that SQLite holds for this process.
    init?(_ db: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size"), pageSize > 0,
            sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods?.pointee
        else {
            return nil
        }
        var size: sqlite3_int64 = 0
        guard methods.xFileSize(file, &size) == SQLITE_OK else {
            return nil
        }
        self.file = file
        self.methods = methods
        self.pageSize = pageSize
        count = size / Int64(pageSize)
    }

    /// Where a row is.
    struct Position {
        fileprivate let page: Int64
        fileprivate let start: Int
    }

    /// Calls a closure with the values of each row that has some number of columns and is in one page.
    func eachRow(columns count: Int, _ use: ([PageRecords.Value], Position) throws -> Void) rethrows {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 8)
        defer { buffer.deallocate() }
        for number in 0..<self.count {
            try read(number, buffer)?.eachRow(columns: count) { values, start in
                try use(values, Position(page: number, start: start))
            }
        }
    }

    /// Reads the values of a row again, if it can be read.
    func withRow<Result>(
        at position: Position, columns count: Int, _ use: ([PageRecords.Value]) throws -> Result
    ) rethrows -> Result? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 8)
        defer { buffer.deallocate() }
        return try read(position.page, buffer)?.values(at: position.start, columns: count).map(use)
    }

    private func read(_ page: Int64, _ buffer: UnsafeMutableRawBufferPointer) -> PageRecords? {
        let code = methods.xRead(file, buffer.baseAddress, Int32(pageSize), page * Int64(pageSize))
        return code == SQLITE_OK ? PageRecords(bytes: UnsafeRawBufferPointer(buffer)) : nil
    }
}
