import Attribution
import AttributionStore
import GRDB

/// Compares columns with the bodies, block by block.
struct RecountColumns {
    private let db: Database
    private let reader: ColumnBlockReader
    private var codes: ColumnCodes
    /// The block being compared, and whether a difference was reported.
    private var block: (number: Int64, stored: StoredBlock, isNoted: Bool)?
    private var next: Int64 = 0
    private let blockCount: Int64
    /// The postbacks of blocks whose column of times cannot be read.
    private(set) var idsWithoutTime: [ClosedRange<Int64>] = []

    init(_ db: Database) throws {
        self.db = db
        reader = try ColumnBlockReader(db)
        codes = try ColumnCodes(db)
        blockCount = try ColumnBlock.dueCount(db, newest: try LedgerScan.newestRow(db))
    }

    /// The last postback that is in a block.
    var last: Int64 {
        ColumnBlock.ids(blockCount).lowerBound - 1
    }

    /// What a block says against a postback, where it is not the block that damage changed.
    enum Objection {
        /// Of the row, only the quarter of an hour is another; this is that of the block.
        case time(quarter: Int64)
        /// Of the row, traffic or recipient is another; the quarter of an hour is that of the block, if it can be read.
        case delivery(quarter: Int64?)
        /// The bytes say something else, and are not those that the row is of either.
        case body
    }

    /// Compares a postback; must be called in ascending order of ids.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - facts: What its row and its bytes say.
    ///   - isBodyKnown: Whether the bytes are those that the row is of.
    /// - Returns: Blocks found to differ from the bodies, what the postback's block says against it, and whether all that
    ///   follows from the bytes is in the block as they say.
    /// - Throws: SQLite's errors, except for damage.
    mutating func check(
        _ id: Int64, _ facts: PostbackFacts, isBodyKnown: Bool
    ) throws -> (blocks: [Int64], objection: Objection?, areBytesConfirmed: Bool) {
        let number = ColumnBlock.number(of: id)
        var found = try skip(to: number)
        guard number < blockCount, let block else {
            return (found, nil, false)
        }
        let expected = codes.row(facts, LedgerColumn.all)
        let index = Int(id - ColumnBlock.ids(number).lowerBound)
        let values = block.stored.values.row(at: index)
        let differing = LedgerColumn.all.filter {
            block.stored.readable.contains($0) && !codes.areSame(values[$0], expected[$0], $0)
        }
        // A code without its text says nothing.
        let known = differing.filter { codes.hasText(values[$0], $0) }
        let objection =
            block.stored.hasRow(at: index) == true
            ? Self.objection(known, block.stored.readable.contains(.quarter) ? values[.quarter] : nil, isBodyKnown)
            : nil
        let isDamaged = known.count < differing.count || isBodyKnown && objection == nil && !differing.isEmpty
        if isDamaged, !block.isNoted {
            self.block?.isNoted = true
            found.append(number)
        }
        let following = LedgerColumn.all.filter { !Self.ofRow.contains($0) }
        let areBytesConfirmed =
            block.stored.hasRow(at: index) == true && block.stored.readable.isSuperset(of: following)
            && Self.ofRow.isSuperset(of: differing)
        return (found, objection, areBytesConfirmed)
    }

    /// The columns that do not follow from bytes.
    private static let ofRow: Set<LedgerColumn> = [.traffic, .quarter, .recipient]

    private static func objection(
        _ differing: [LedgerColumn], _ quarter: Int64?, _ isBodyKnown: Bool
    ) -> Objection? {
        if differing.isEmpty {
            nil
        } else if differing == [.quarter], let quarter {
            .time(quarter: quarter)
        } else if ofRow.isSuperset(of: differing) {
            .delivery(quarter: quarter)
        } else {
            isBodyKnown ? nil : .body
        }
    }

    /// Checks the remaining blocks, and looks for blocks of postbacks that do not exist.
    ///
    /// - Returns: Blocks that are damaged or missing, and whether there are blocks without postbacks.
    mutating func finish() throws -> (blocks: [Int64], hasStrays: Bool) {
        let found = try skip(to: blockCount)
        // Damage is reported where the block is compared.
        let stray = try Database.nilIfDamaged {
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM column_block WHERE id < 0 OR id >= ?)",
                arguments: [ColumnBlock.firstID(of: blockCount)])
        }
        return (found, stray.flatMap(\.self) ?? false)
    }

    /// Advances to a block; blocks skipped have no readable postbacks and only need to be undamaged.
    private mutating func skip(to number: Int64) throws -> [Int64] {
        guard block?.number != number else {
            return []
        }
        var found: [Int64] = []
        while next <= number, next < blockCount {
            let stored = try StoredBlock(next, reader)
            let isDamaged = stored.readable.count < LedgerColumn.all.count
            if isDamaged {
                found.append(next)
            }
            if !stored.readable.contains(.quarter) {
                idsWithoutTime.append(ColumnBlock.ids(next))
            }
            block = (next, stored, isDamaged)
            next += 1
        }
        return found
    }
}
