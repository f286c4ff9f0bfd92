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

    /// Calls a closure for each page that can be read.
    func each(_ use: (LeafPage) throws -> Void) rethrows {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 8)
        defer { buffer.deallocate() }
        for number in 0..<count {
            let code = methods.xRead(file, buffer.baseAddress, Int32(pageSize), number * Int64(pageSize))
            if code == SQLITE_OK {
                try use(LeafPage(bytes: UnsafeRawBufferPointer(buffer)))
            }
        }
    }
}
