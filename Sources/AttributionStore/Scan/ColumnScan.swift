import Attribution

/// One pass over the columns that counts the matching postbacks by traits and dimensions.
struct ColumnScan<Key: FixedWidthInteger & UnsignedInteger> {
    private let question: LedgerQuestion
    private let layout: ScanLayout
    private let quarters: Range<Int64>?
    private let columns: [LedgerColumn]
    private(set) var codes: ColumnCodes
    private var conditions: ScanConditions
    private(set) var periods: [ScanPeriods]
    /// When postbacks of each code of traits are sent; empty unless a dimension is of the install.
    private var timings: [PostbackTiming?]
    /// How many postbacks of the counted blocks could not be read when their block was written.
    private(set) var missingCount = 0
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
        timings = codes.timings(for: question)
        cells = CellTable(limit: question.limits.cells)
    }

    /// Frees the memory of the pass.
    func deallocate() {
        keys.deallocate()
        selected.deallocate()
    }

    /// Counts the postbacks of a block.
    ///
    /// - Returns: Whether its columns are whole; if not, nothing was counted.
    /// - Throws: The store's errors, and ``LedgerQuestionError`` for too many cells.
    mutating func count(_ block: Int64, _ source: any ColumnSource) throws -> Bool {
        if let times = source.times(block), ColumnCount.excludes(times.quarters, question) {
            missingCount += times.missingCount
            return true
        }
        let codes = codes
        let count = source.postbackCount(block)
        var missing = 0
        let isWhole = try self.count(count) { column, use in
            try source.read(block, column) { values in
                if column == .traffic {
                    missing = values.missingCount(count)
                }
                // The text of a damaged code is unknown.
                return try codes.areKnown(values, column, count) ? use(values) : nil
            }.flatMap(\.self)
        }
        missingCount += isWhole ? missing : 0
        return isWhole
    }

    /// Counts postbacks whose values were derived, not read.
    ///
    /// - Parameters:
    ///   - values: The values, of a block's postbacks at most.
    ///   - grown: All codes, including those that the values added.
    /// - Throws: ``OutgrownLayout``, and ``LedgerQuestionError`` for too many cells.
    mutating func count(_ values: ColumnValues, _ grown: ColumnCodes) throws {
        if columns.contains(where: { grown.count($0) != codes.count($0) }) {
            codes = grown
            conditions = ScanConditions(question, codes)
            timings = codes.timings(for: question)
            guard layout.hasRoom(for: codes) else {
                throw OutgrownLayout(codes: codes)
            }
        }
        _ = try count(values.count) { column, use in
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
        // Traffic first, which tells how many are missing. Traits are always read; conditions on them are checked below.
        for (column, allowed) in conditions.allowed where column != .traits {
            guard let isAny = try read(column, { $0.select(allowed, selected, count) }) else {
                return false
            }
            guard isAny else {
                return true
            }
            if column == .traffic, let quarters {
                guard let isAny = try read(.quarter, { $0.select(quarters, selected, count) }) else {
                    return false
                }
                guard isAny else {
                    return true
                }
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
                    if dimension.isOfInstall {
                        periods[timeIndex].add(
                            block, timings, layout.traits, to: keys, shift: field.shift, where: selected, count: count)
                    } else {
                        periods[timeIndex].add(block, to: keys, shift: field.shift, where: selected, count: count)
                    }
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

extension ColumnBlock {
    /// Deselects postbacks whose value is outside a range.
    ///
    /// - Parameters:
    ///   - range: The values.
    ///   - selected: For each postback, 0 or 1; what it is for one that is deselected is left open if none is left.
    /// - Returns: Whether any is left.
    package func select(_ range: Range<Int64>, in selected: inout [UInt8]) -> Bool {
        selected.withUnsafeMutableBufferPointer { selected in
            selected.baseAddress.map { select(range, $0, selected.count) } ?? false
        }
    }

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
        let base = Int(base)
        switch width {
        case 1: each(UInt8.self, count) { use($0, base &+ Int($1)) }
        case 2: each(UInt16.self, count) { use($0, base &+ Int($1)) }
        case 4: each(UInt32.self, count) { use($0, base &+ Int($1)) }
        default: each(UInt64.self, count) { use($0, base &+ Int(truncatingIfNeeded: $1)) }
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

extension LedgerColumn {
    /// The columns needed to answer a question.
    package static func needed(for question: LedgerQuestion) -> [LedgerColumn] {
        var needed: Set<LedgerColumn> = [.traffic, .traits]
        if question.received != nil || question.dimensions.contains(where: \.isTime) {
            needed.insert(.quarter)
        }
        needed.formUnion(question.dimensions.compactMap { LedgerColumn($0) })
        needed.formUnion(question.conditions.compactMap { LedgerColumn($0.dimension) })
        return needed.sorted { $0.rawValue < $1.rawValue }
    }
}
