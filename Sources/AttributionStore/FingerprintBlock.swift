import Foundation
import GRDB

/// The fingerprints of postbacks with consecutive rows, as the store keeps them: 8 bytes each, the lowest first.
enum FingerprintBlock {
    /// The bytes of a block.
    static func encode(_ fingerprints: [UInt64]) -> [UInt8] {
        fingerprints.map(\.littleEndian).withUnsafeBytes(Array.init)
    }

    /// Hands over each fingerprint of a store with its row, in the order of the rows.
    static func each(_ db: Database, _ use: (_ row: Int64, _ fingerprint: UInt64) throws -> Void) throws {
        let blocks = try Row.fetchCursor(
            db, sql: "SELECT first_id, fingerprints FROM postback_fingerprints ORDER BY first_id")
        while let block = try blocks.next() {
            let first: Int64 = block[0]
            try block.withUnsafeData(atIndex: 1) { data in
                try data?.withUnsafeBytes { bytes in
                    for place in 0..<(bytes.count / 8) {
                        let fingerprint = bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self)
                        try use(first + Int64(place), UInt64(littleEndian: fingerprint))
                    }
                }
            }
        }
    }
}
