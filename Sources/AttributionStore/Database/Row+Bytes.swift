import Foundation
import GRDB

extension Row {
    /// The bytes of a BLOB column that is never NULL.
    func bytes(at index: Int) throws -> [UInt8] {
        try withUnsafeData(atIndex: index) { data in
            data.map(Array.init) ?? []
        }
    }
}
