import Attribution
import AttributionStore
import GRDB

/// The values of one column for 4,096 consecutive postbacks, stored as offsets from the lowest value in as few bytes as
/// the highest offset needs.
///
/// Block *n* begins with postback 4,096 *n* + 1. It is written when its last postback is recorded.
struct ColumnBlock {
    let lowest: Int64
    let highest: Int64
    /// The bytes per value: 0, 1, 2, 4 or 8.
    let width: Int
    /// The differences from ``lowest``, little-endian.
    let offsets: UnsafeRawBufferPointer

    /// The postbacks of a block.
    static let rowCount = 4_096

    /// The version of the rules that derive values from a postback's bytes; raise it so that older blocks are rebuilt.
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

    /// The row id of a block's column.
    static func id(_ number: Int64, _ column: LedgerColumn) -> Int64 {
        firstID(of: number) + Int64(column.rawValue)
    }

    /// How many blocks the store should have: all full blocks, except the newest while it is not written yet.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func dueCount(_ db: Database, newest: Int64) throws -> Int64 {
        let fullCount = number(of: newest + 1)
        let last = try Database.nilIfDamaged {
            try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM column_block")).map(number(ofBlockAt:))
                ?? -1
        }
        return last == fullCount - 2 ? fullCount - 1 : fullCount
    }

    /// The row id of a block's first column.
    static func firstID(of number: Int64) -> Int64 {
        number * columnsReserved
    }

    /// The number of the block that a row id belongs to.
    static func number(ofBlockAt id: Int64) -> Int64 {
        id.dividedRoundingDown(by: columnsReserved)
    }

    /// The column number of a row id, as SQL.
    static let columnSQL = "id % \(columnsReserved)"

    /// Leaves row ids for future columns.
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

    /// Writes or replaces one column of a block.
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

    /// Passes one column of a block to a closure; its memory belongs to SQLite and is valid only during the call.
    ///
    /// - Returns: What `use` returned; nil if the block is missing, damaged, or built by other rules.
    /// - Throws: SQLite's errors, except for damage.
    func read<Result>(
        _ number: Int64,
        _ column: LedgerColumn,
        _ use: (ColumnBlock) throws -> Result
    ) throws -> Result? {
        try Database.nilIfDamaged {
            var result: Result?
            try find.fetch(bind: { $0.bind(ColumnBlock.id(number, column)) }) { row in
                result = try ColumnBlock(row, number, column).map(use)
            }
            return result
        }.flatMap(\.self)
    }
}

/// One column of a block, copied out of the store and not checked yet, so that another thread can do so.
struct StoredColumn: Sendable {
    let column: LedgerColumn
    private let number: Int64
    private let rules: Int64
    /// What the row says; true only if ``withBlock(_:)`` finds it whole.
    let lowest: Int64
    let highest: Int64
    private let offsets: [UInt8]
    private let checksum: Int64

    fileprivate init(_ row: HotStatement.Row, _ number: Int64, _ column: LedgerColumn) {
        self.number = number
        self.column = column
        rules = row.integer(0)
        lowest = row.integer(1)
        highest = row.integer(2)
        offsets = [UInt8](row.blob(3))
        checksum = row.integer(4)
    }

    /// Passes the block to a closure.
    ///
    /// - Returns: What `use` returned; nil if the block is damaged or built by other rules.
    func withBlock<Result>(_ use: (ColumnBlock) throws -> Result) rethrows -> Result? {
        try offsets.withUnsafeBytes { offsets in
            try ColumnBlock(
                number, column, rules: rules, lowest: lowest, highest: highest, offsets: offsets, checksum: checksum
            ).map(use)
        }
    }
}

extension ColumnBlockReader {
    /// Copies one column of a block; nil if it is missing or its page is damaged.
    ///
    /// - Throws: SQLite's errors, except for damage.
    func load(_ number: Int64, _ column: LedgerColumn) throws -> StoredColumn? {
        try Database.nilIfDamaged {
            var stored: StoredColumn?
            try find.fetch(bind: { $0.bind(ColumnBlock.id(number, column)) }) { row in
                stored = StoredColumn(row, number, column)
            }
            return stored
        }.flatMap(\.self)
    }

    /// How many of the first `count` postbacks of a block could not be read when it was written.
    func missingCount(_ number: Int64, _ count: Int) throws -> Int {
        try read(number, .traffic) { $0.missingCount(count) } ?? 0
    }
}

extension ColumnBlock {
    /// How many of the first `count` postbacks of a block of traffic are marked as missing.
    func missingCount(_ count: Int) -> Int {
        lowest > 0 ? 0 : (0..<count).count { self[$0] == 0 }
    }
}

extension ColumnBlock {
    /// Reads a row; nil if it is damaged or built by other rules.
    fileprivate init?(_ row: HotStatement.Row, _ number: Int64, _ column: LedgerColumn) {
        self.init(
            number, column, rules: row.integer(0), lowest: row.integer(1), highest: row.integer(2),
            offsets: row.blob(3), checksum: row.integer(4))
    }

    /// Checks what is stored, whose offsets must outlive the block; nil if it is damaged or built by other rules.
    fileprivate init?(
        _ number: Int64,
        _ column: LedgerColumn,
        rules: Int64,
        lowest: Int64,
        highest: Int64,
        offsets: UnsafeRawBufferPointer,
        checksum: Int64
    ) {
        self.lowest = lowest
        self.highest = highest
        self.offsets = offsets
        width = offsets.count / Self.rowCount
        guard rules == Self.rules, [0, 1, 2, 4, 8].contains(width), offsets.count == width * Self.rowCount,
            checksum == Self.checksum(number, column, rules, lowest, highest, offsets)
        else {
            return nil
        }
    }

    /// Wraps values in memory.
    ///
    /// - Parameter values: Must outlive the block.
    init(_ values: UnsafeBufferPointer<Int64>) {
        lowest = 0
        highest = values.max() ?? 0
        width = 8
        offsets = UnsafeRawBufferPointer(values)
    }
}
