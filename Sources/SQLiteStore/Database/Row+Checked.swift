import AttributionStore
import Foundation
import GRDB

/// Typed access to columns that throws on an unexpected value, which a damaged row may hold, instead of trapping.
extension Row {
    /// An INTEGER column that is never NULL.
    func integer(_ index: Int) throws -> Int64 {
        try checked(index)
    }

    /// A TEXT column that is never NULL.
    func text(_ index: Int) throws -> String {
        try checked(index)
    }

    /// A TEXT column that holds one of a fixed set of values.
    func word<Word: RawRepresentable<String>>(_ index: Int) throws -> Word {
        guard let word = Word(rawValue: try text(index)) else {
            throw DatabaseError.damagedColumn
        }
        return word
    }

    /// A BLOB column that is never NULL.
    func bytes(at index: Int) throws -> [UInt8] {
        Array(try checked(index) as Data)
    }

    /// A digest; nil for any other value.
    func digest(at index: Int) throws -> Digest16? {
        try withUnsafeData(atIndex: index) { $0?.withUnsafeBytes { Digest16($0) } }
    }

    /// A value that may be NULL.
    func optional<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value? {
        let value = self[index] as DatabaseValue
        return value.isNull ? nil : try checked(index)
    }

    /// A value that is never NULL.
    func checked<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
        guard let value = Value.fromDatabaseValue(self[index] as DatabaseValue) else {
            throw DatabaseError.damagedColumn
        }
        return value
    }
}

extension DatabaseError {
    /// Thrown when a column holds an unexpected value.
    static let damagedColumn = DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "a column holds an unexpected value")
}
