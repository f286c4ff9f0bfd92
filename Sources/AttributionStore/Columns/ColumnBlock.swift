import Attribution
import GRDB

/// The values of one column for 4,096 consecutive postbacks, as the store keeps them: each less the lowest of them, in as
/// few bytes as the highest needs.
///
/// Block *n* begins with postback 4,096 *n* + 1. It is written when its last postback is recorded.
struct ColumnBlock {
    let lowest: Int64
    let highest: Int64
    /// The bytes of a value: 0, 1, 2, 4 or 8, the lowest first.
    let width: Int
    /// The values less ``lowest``.
    let offsets: UnsafeRawBufferPointer

    /// The postbacks of a block.
    static let rowCount = 4_096

    /// How values are made from a postback's bytes; raised when that changes, so that older blocks are made again.
    static let rules: Int64 = 1

    /// The block a postback belongs to.
    static func number(of id: Int64) -> Int64 {
        (id - 1).dividedRoundingDown(by: Int64(rowCount))
    }

    /// The postbacks of a block.
    static func ids(_ number: Int64) -> ClosedRange<Int64> {
        let first = number * Int64(rowCount) + 1
        return first...(first + Int64(rowCount) - 1)
    }

    /// Where a block's column lies in the table.
    static func id(_ number: Int64, _ column: LedgerColumn) -> Int64 {
        firstID(of: number) + Int64(column.rawValue)
    }

    /// How many blocks the store should have: all that are full, but for the newest while it waits to be written.
    ///
    /// - Throws: What SQLite reports of anything but damage.
    static func dueCount(_ db: Database, newest: Int64) throws -> Int64 {
        let fullCount = number(of: newest + 1)
        let last = try Database.passingDamage {
            try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM column_block")).map(number(ofBlockAt:))
                ?? -1
        }
        return last == fullCount - 2 ? fullCount - 1 : fullCount
    }

    /// Where a block lies in the table.
    static func firstID(of number: Int64) -> Int64 {
        number * columnsReserved
    }

    /// The number of the block that a place belongs to.
    static func number(ofBlockAt id: Int64) -> Int64 {
        id.dividedRoundingDown(by: columnsReserved)
    }

    /// The column at a place, as SQL.
    static let columnSQL = "id % \(columnsReserved)"

    /// Room for columns to come.
    private static let columnsReserved: Int64 = 64

    /// The value of a postback.
    subscript(index: Int) -> Int64 {
        let offset: UInt64 =
            switch width {
            case 1: UInt64(offsets[index])
            case 2: UInt64(UInt16(littleEndian: load(index)))
            case 4: UInt64(UInt32(littleEndian: load(index)))
            case 8: UInt64(littleEndian: load(index))
            default: 0
            }
        return lowest &+ Int64(bitPattern: offset)
    }

    private func load<Word: FixedWidthInteger>(_ index: Int) -> Word {
        offsets.loadUnaligned(fromByteOffset: index * MemoryLayout<Word>.size, as: Word.self)
    }

    // MARK: Writing

    /// Puts a column's values in place of what the store has of a block.
    static func write(_ values: [Int64], _ number: Int64, _ column: LedgerColumn, _ db: Database) throws {
        let (lowest, highest) = (values.min() ?? 0, values.max() ?? 0)
        let offsets = encode(values, lowest: lowest, highest: highest)
        let sum = offsets.withUnsafeBytes { checksum(number, column, rules, lowest, highest, $0) }
        try HotStatement(
            db, sql: "INSERT OR REPLACE INTO column_block VALUES (?, ?, ?, ?, ?, ?)", HotStatement.Arena()
        ).run { row in
            row.bind(id(number, column))
            row.bind(rules)
            row.bind(lowest)
            row.bind(highest)
            row.bind(offsets)
            row.bind(sum)
        }
    }

    private static func encode(_ values: [Int64], lowest: Int64, highest: Int64) -> [UInt8] {
        func bytes<Word: FixedWidthInteger>(_: Word.Type) -> [UInt8] {
            let words = values.map { Word(truncatingIfNeeded: $0 &- lowest).littleEndian }
            return words.withUnsafeBytes { [UInt8]($0) }
        }
        switch UInt64(bitPattern: highest &- lowest) {
        case 0: return []
        case ...0xFF: return bytes(UInt8.self)
        case ...0xFFFF: return bytes(UInt16.self)
        case ...0xFFFF_FFFF: return bytes(UInt32.self)
        default: return bytes(UInt64.self)
        }
    }

    private static func checksum(
        _ number: Int64,
        _ column: LedgerColumn,
        _ rules: Int64,
        _ lowest: Int64,
        _ highest: Int64,
        _ offsets: UnsafeRawBufferPointer
    ) -> Int64 {
        var checksum = Checksum()
        for number in [id(number, column), rules, lowest, highest] {
            checksum.add(number)
        }
        checksum.add(offsets)
        return Int64(bitPattern: checksum.value)
    }
}

/// Reads blocks.
struct ColumnBlockReader {
    private let find: HotStatement

    init(_ db: Database) throws {
        find = try HotStatement(
            db, sql: "SELECT rules, lowest, highest, offsets, checksum FROM column_block WHERE id = ?",
            HotStatement.Arena())
    }

    /// Hands over a block's column, which lies in SQLite's memory meanwhile.
    ///
    /// - Returns: What `use` returned; nil when the block is missing, damaged, or made by other rules.
    /// - Throws: What SQLite reports of anything but damage.
    func read<Result>(
        _ number: Int64,
        _ column: LedgerColumn,
        _ use: (ColumnBlock) throws -> Result
    ) throws -> Result? {
        try Database.passingDamage {
            var result: Result?
            try find.fetch(bind: { $0.bind(ColumnBlock.id(number, column)) }) { row in
                result = try ColumnBlock(row, number, column).map(use)
            }
            return result
        }.flatMap(\.self)
    }
}

extension ColumnBlockReader {
    /// How many of a block's first postbacks could not be read when it was written.
    func missingCount(_ number: Int64, _ count: Int) throws -> Int {
        try read(number, .traffic) { block in
            block.lowest > 0 ? 0 : (0..<count).count { block[$0] == 0 }
        } ?? 0
    }
}

extension ColumnBlock {
    /// Takes a row; nil for one that is damaged, or made by other rules.
    fileprivate init?(_ row: HotStatement.Row, _ number: Int64, _ column: LedgerColumn) {
        lowest = row.integer(1)
        highest = row.integer(2)
        offsets = row.blob(3)
        width = offsets.count / Self.rowCount
        guard row.integer(0) == Self.rules, [0, 1, 2, 4, 8].contains(width),
            offsets.count == width * Self.rowCount,
            row.integer(4) == Self.checksum(number, column, Self.rules, lowest, highest, offsets)
        else {
            return nil
        }
    }

    /// Values that are no block of the store.
    ///
    /// - Parameter values: They must live as long as the block.
    init(_ values: UnsafeBufferPointer<Int64>) {
        lowest = 0
        highest = values.max() ?? 0
        width = 8
        offsets = UnsafeRawBufferPointer(values)
    }
}
