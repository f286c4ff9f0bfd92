import Attribution
import GRDB

/// One pass over the columns that counts the matching postbacks by traits and dimensions.
struct ColumnScan<Key: FixedWidthInteger & UnsignedInteger> {
    private let question: LedgerQuestion
    private let layout: ScanLayout
    private let quarters: Range<Int64>?
    private let columns: [LedgerColumn]
    private(set) var codes: ColumnCodes
    private var conditions: ScanConditions
    private(set) var periods: [ScanPeriods]
    let cells: CellTable<Key>
    private let keys = UnsafeMutableBufferPointer<Key>.allocate(capacity: ColumnBlock.rowCount)
    private let selected = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: ColumnBlock.rowCount)

    init(_ question: LedgerQuestion, _ layout: ScanLayout, _ codes: ColumnCodes) {
        self.question = question
        self.layout = layout
        self.codes = codes
        quarters = question.quarters
        columns = LedgerColumn.needed(for: question)
        conditions = ScanConditions(question, codes)
        periods = question.dimensions.filter(\.isTime).map { ScanPeriods($0, question.calendar) }
        cells = CellTable(
            traits: layout.traits, traitsCount: codes.count(.traits), limit: question.limits.cells)
    }

    /// Frees the memory of the pass.
    func deallocate() {
        keys.deallocate()
        selected.deallocate()
    }

    /// Counts the first postbacks of a block.
    ///
    /// - Parameters:
    ///   - number: The block.
    ///   - count: How many of its postbacks to count.
    ///   - reader: Reads blocks.
    /// - Returns: Whether all its columns could be read; if not, nothing was counted.
    /// - Throws: ``LedgerQuestionError`` for too many cells, and SQLite's errors, except for damage.
    mutating func count(block number: Int64, _ count: Int, _ reader: ColumnBlockReader) throws -> Bool {
        let codes = codes
        return try self.count(count) { column, use in
            try reader.read(number, column) { block in
                // The text of a damaged code is unknown.
                try codes.areKnown(block, column, count) ? use(block) : nil
            }?.flatMap(\.self)
        }
    }

    /// Counts postbacks whose values were derived from their bytes.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - count: How many of the postbacks to count.
    ///   - grown: All codes, including those that the values added.
    /// - Throws: ``OutgrownLayout``, and ``LedgerQuestionError`` for too many cells.
    mutating func count(_ values: ColumnValues, _ count: Int, _ grown: ColumnCodes) throws {
        if columns.contains(where: { grown.count($0) != codes.count($0) }) {
            codes = grown
            conditions = ScanConditions(question, codes)
            guard layout.hasRoom(for: codes) else {
                throw OutgrownLayout(codes: codes)
            }
        }
        _ = try self.count(count) { column, use in
            try values[column].withUnsafeBufferPointer { try use(ColumnBlock($0)) }
        }
    }

    /// Values in the conditions that no postback has.
    var unseen: [LedgerAnswer.UnseenValue] {
        conditions.unseen
    }

    /// Counts some postbacks.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - read: Passes a column to a closure and returns its result; nil if the column cannot be read.
    /// - Returns: Whether all columns could be read.
    /// - Throws: What `read` throws, and ``LedgerQuestionError`` for too many cells.
    private mutating func count(
        _ count: Int,
        _ read: (LedgerColumn, (ColumnBlock) throws -> Bool?) throws -> Bool?
    ) throws -> Bool {
        guard let keys = keys.baseAddress, let selected = selected.baseAddress else {
            return true
        }
        selected.initialize(repeating: 1, count: count)
        if let quarters {
            guard let isAny = try read(.quarter, { $0.select(quarters, selected, count) }) else {
                return false
            }
            guard isAny else {
                return true
            }
        }
        // Traits are always read; conditions on them are checked below.
        for (column, allowed) in conditions.allowed where column != .traits {
            guard let isAny = try read(column, { $0.select(allowed, selected, count) }) else {
                return false
            }
            guard isAny else {
                return true
            }
        }
        let traitsAllowed = conditions.allowed.first { $0.column == .traits }?.codes
        let isAny = try read(.traits) { traits in
            if let traitsAllowed, !traits.select(traitsAllowed, selected, count) {
                return false
            }
            keys.initialize(repeating: 0, count: count)
            traits.add(to: keys, shift: 0, count)
            return true
        }
        guard let isAny else {
            return false
        }
        guard isAny else {
            return true
        }
        var timeIndex = 0
        for (dimension, field) in layout.dimensions {
            let isRead: Bool?
            if let column = LedgerColumn(dimension) {
                isRead = try read(column) { block in
                    block.add(to: keys, shift: field.shift, count)
                    return true
                }
            } else {
                isRead = try read(.quarter) { block in
                    periods[timeIndex].add(block, to: keys, shift: field.shift, where: selected, count: count)
                    return true
                }
                guard periods[timeIndex].periods.count <= field.capacity else {
                    throw LedgerQuestionError.tooManyCells(limit: question.limits.cells)
                }
                timeIndex += 1
            }
            guard isRead != nil else {
                return false
            }
        }
        try cells.add(keys, where: selected, count: count)
        return true
    }
}

/// Thrown when new codes exceed the room in a layout; the pass is repeated with a layout for them.
struct OutgrownLayout: Error {
    let codes: ColumnCodes
}

extension ColumnBlock {
    /// Deselects postbacks whose value is outside a range.
    ///
    /// - Returns: Whether any is left.
    fileprivate func select(
        _ range: Range<Int64>,
        _ selected: UnsafeMutablePointer<UInt8>,
        _ count: Int
    ) -> Bool {
        if range.contains(lowest), range.contains(highest) {
            return true
        }
        guard range.lowerBound <= highest, lowest < range.upperBound else {
            return false
        }
        var isAny: UInt8 = 0
        for index in 0..<count {
            selected[index] &= range.contains(self[index]) ? 1 : 0
            isAny |= selected[index]
        }
        return isAny != 0
    }

    /// Deselects postbacks whose code is not allowed.
    ///
    /// - Returns: Whether any is left.
    fileprivate func select(
        _ allowed: [UInt8],
        _ selected: UnsafeMutablePointer<UInt8>,
        _ count: Int
    ) -> Bool {
        if width == 0 {
            return allowed[Int(lowest)] != 0
        }
        var isAny: UInt8 = 0
        forEachCode(count) { index, code in
            selected[index] &= allowed[code]
            isAny |= selected[index]
        }
        return isAny != 0
    }

    /// Adds the codes to keys.
    fileprivate func add<Key: FixedWidthInteger>(
        to keys: UnsafeMutablePointer<Key>,
        shift: Int,
        _ count: Int
    ) {
        if width == 0 {
            let code = Key(truncatingIfNeeded: lowest) << shift
            for index in 0..<count where code != 0 {
                keys[index] |= code
            }
            return
        }
        forEachCode(count) { index, code in
            keys[index] |= Key(truncatingIfNeeded: code) << shift
        }
    }

    /// Calls a closure with each index and code, in a separate loop for each width.
    @inline(__always)
    private func forEachCode(_ count: Int, _ use: (Int, Int) -> Void) {
        let lowest = Int(lowest)
        switch width {
        case 1: each(UInt8.self, count) { use($0, lowest &+ Int($1)) }
        case 2: each(UInt16.self, count) { use($0, lowest &+ Int($1)) }
        case 4: each(UInt32.self, count) { use($0, lowest &+ Int($1)) }
        default: each(UInt64.self, count) { use($0, lowest &+ Int(truncatingIfNeeded: $1)) }
        }
    }

    @inline(__always)
    private func each<Word: FixedWidthInteger>(_: Word.Type, _ count: Int, _ use: (Int, Word) -> Void) {
        guard let base = offsets.baseAddress else {
            return
        }
        for index in 0..<count {
            use(
                index,
                Word(littleEndian: base.loadUnaligned(fromByteOffset: index * MemoryLayout<Word>.size, as: Word.self)))
        }
    }
}

extension ColumnCodes {
    /// Whether each of a block's codes has a text.
    fileprivate func areKnown(_ block: ColumnBlock, _ column: LedgerColumn, _ count: Int) -> Bool {
        guard column.isCoded else {
            return true
        }
        guard block.lowest >= 0, block.highest < self.count(column) else {
            return false
        }
        return isWhole(column) || (0..<count).allSatisfy { values(column)[Int(block[$0])] != nil }
    }
}

extension LedgerQuestion {
    /// The quarter hours of ``received``; nil for all.
    var quarters: Range<Int64>? {
        received?.quarters
    }
}

extension Range<Int64> {
    /// The quarters of an hour that a range of Unix milliseconds touches.
    package var quarters: Range<Int64> {
        // To the quarter that begins at or after the end.
        let end = -((-upperBound).dividedRoundingDown(by: LedgerTime.quarterMilliseconds))
        let start = lowerBound.quarterOfAnHour
        return start..<Swift.max(start, end)
    }
}

extension LedgerColumn {
    /// The columns needed to answer a question.
    static func needed(for question: LedgerQuestion) -> [LedgerColumn] {
        var needed: Set<LedgerColumn> = [.traffic, .traits]
        if question.received != nil || question.dimensions.contains(where: \.isTime) {
            needed.insert(.quarter)
        }
        needed.formUnion(question.dimensions.compactMap { LedgerColumn($0) })
        needed.formUnion(question.conditions.compactMap { LedgerColumn($0.dimension) })
        return needed.sorted { $0.rawValue < $1.rawValue }
    }
}

extension ScanLayout {
    /// The layout for a question, with room for twice as many codes as there are.
    init(_ question: LedgerQuestion, _ codes: ColumnCodes) {
        self.init(traitsCount: codes.count(.traits) * 2)
        for dimension in question.dimensions {
            if let column = LedgerColumn(dimension) {
                add(dimension, count: codes.count(column) * 2)
            } else if dimension.isTime {
                add(dimension, count: question.limits.cells + ColumnBlock.rowCount)
            }
        }
    }

    /// Whether every code fits.
    fileprivate func hasRoom(for codes: ColumnCodes) -> Bool {
        codes.count(.traits) <= traits.capacity
            && dimensions.allSatisfy { dimension, field in
                LedgerColumn(dimension).map { codes.count($0) <= field.capacity } ?? true
            }
    }
}
