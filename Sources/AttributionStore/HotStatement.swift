import Foundation
import GRDB
import GRDBSQLite

/// A prepared statement stepped by hand, for the few that run for every postback.
///
/// It lives no longer than the database access that made it.
struct HotStatement {
    private let statement: Statement
    private let db: Database

    init(_ db: Database, sql: String) throws {
        self.db = db
        statement = try db.cachedStatement(sql: sql)
    }

    /// One value to be bound.
    enum Value {
        case integer(Int64)
        case text(String)
        case blob([UInt8])
    }

    /// Runs the statement, which returns no rows.
    func run(_ values: [Value]) throws {
        let handle = statement.sqliteStatement
        for (index, value) in values.enumerated() {
            let place = CInt(index + 1)
            let result =
                switch value {
                case .integer(let number): sqlite3_bind_int64(handle, place, number)
                case .text(let text): Self.bind(text, handle, place)
                case .blob(let bytes):
                    bytes.withUnsafeBytes {
                        sqlite3_bind_blob(handle, place, $0.baseAddress, CInt($0.count), Self.transient)
                    }
                }
            try check(result, SQLITE_OK)
        }
        let result = sqlite3_step(handle)
        sqlite3_reset(handle)
        try check(result, SQLITE_DONE)
    }

    private static func bind(_ text: String, _ handle: OpaquePointer, _ place: CInt) -> CInt {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(handle, place, $0.baseAddress, CInt($0.count), transient)
            }
        }
    }

    private func check(_ result: CInt, _ expected: CInt) throws {
        guard result == expected else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: result),
                message: sqlite3_errmsg(db.sqliteConnection).map { String(cString: $0) })
        }
    }

    /// SQLite's word for "copy the bytes before you return".
    private static let transient = unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
}
