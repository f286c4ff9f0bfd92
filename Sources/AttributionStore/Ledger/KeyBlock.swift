import Attribution
import Crypto
import Foundation
import GRDB

/// The first eight bytes of the key digests of consecutive postbacks, with a checksum, as the store keeps them.
struct KeyBlock {
    let first: Int64
    let digests: [UInt64]

    /// The bytes of a block, each number with its lowest byte first.
    static func encode(_ digests: [UInt64]) -> [UInt8] {
        digests.map(\.littleEndian).withUnsafeBytes(Array.init)
    }

    /// The checksum of a block, which covers where it belongs too.
    static func checksum(_ bytes: [UInt8], first: Int64) -> [UInt8] {
        var hash = SHA256()
        withUnsafeBytes(of: first.littleEndian) { hash.update(bufferPointer: $0) }
        hash.update(data: bytes)
        return Array(hash.finalize().prefix(8))
    }

    /// Reads a row of `first_id, digests, checksum`; nil for one that is damaged.
    init?(_ row: Row) {
        guard let bytes: Data = row[1], let checksum: Data = row[2], bytes.count % 8 == 0, !bytes.isEmpty else {
            return nil
        }
        first = row[0]
        guard Array(checksum) == Self.checksum(Array(bytes), first: first) else {
            return nil
        }
        digests = bytes.withUnsafeBytes { bytes in
            (0..<(bytes.count / 8)).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
            }
        }
    }

    /// Hands over the digest of each row of a ledger, in the order of the rows; those whose block is damaged or missing
    /// are read from the rows themselves.
    ///
    /// - Parameters:
    ///   - db: The store.
    ///   - newest: The newest row there is.
    ///   - use: Takes a row and its digest.
    /// - Returns: The ranges of rows that were read from themselves.
    /// - Throws: What `use` throws, and what SQLite reports of anything but damage.
    static func each(
        _ db: Database,
        through newest: Int64,
        _ use: (_ row: Int64, _ digest: UInt64) throws -> Void
    ) throws -> [ClosedRange<Int64>] {
        var next: Int64 = 1
        var rebuilt: [ClosedRange<Int64>] = []
        func rebuild(through last: Int64) throws {
            guard next <= last else {
                return
            }
            rebuilt.append(next...last)
            try eachRow(db, next...last, use)
            next = last + 1
        }
        let rows = try Row.fetchCursor(
            db, sql: "SELECT first_id, digests, checksum FROM key_block WHERE first_id <= ? ORDER BY first_id",
            arguments: [newest])
        while let row = try Self.next(rows) {
            guard let block = KeyBlock(row), block.first >= next,
                block.first + Int64(block.digests.count) - 1 <= newest
            else {
                continue
            }
            try rebuild(through: block.first - 1)
            for (offset, digest) in block.digests.enumerated() {
                try use(block.first + Int64(offset), digest)
            }
            next = block.first + Int64(block.digests.count)
        }
        try rebuild(through: newest)
        return rebuilt
    }

    /// Hands over the digest of each row, made again from its body.
    ///
    /// What replaces a damaged block decides what is counted, and so does not rest on another column; only of a row whose
    /// body cannot be read is the stored digest taken.
    static func eachRow(
        _ db: Database,
        _ ids: ClosedRange<Int64>,
        _ use: (_ row: Int64, _ digest: UInt64) throws -> Void
    ) throws {
        let scan = LedgerScan(
            db: db, columns: "id, traffic, body, key_digest", table: "postback LEFT JOIN postback_body USING (id)")
        try scan.each(ids) { row in
            if let traffic = Traffic(rawValue: row[1]), let body = row[2] as Data?,
                let postback = try? ReceivedPostback(reading: Array(body))
            {
                try use(row[0], PostbackDigests(postback, provenance: traffic.provenance).key.high)
            } else if let digest = try row.withUnsafeData(atIndex: 3, { $0?.withUnsafeBytes { Digest16($0) } }) {
                try use(row[0], digest.high)
            }
        }
    }

    /// The next row; none where the rest lies on a damaged page.
    private static func next(_ rows: RowCursor) throws -> Row? {
        do {
            return try rows.next()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return nil
        }
    }
}
