import Attribution

/// One pass over the columns that counts the matching postbacks by traits and dimensions.
struct ColumnScan<Key: FixedWidthInteger & UnsignedInteger & Sendable> {
    private let question: LedgerQuestion
    private let layout: ScanLayout
    private let quarters: Range<Int64>?
    private let columns: [LedgerColumn]
    private(set) var codes: ColumnCodes
    private var conditions: ScanConditions
    private(set) var periods: [ScanPeriods]
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
        cells = CellTable(
            traits: layout.traits, traitsCount: codes.count(.traits), limit: question.limits.cells)
    }

    /// Frees the memory of the pass.
    func deallocate() {
        keys.deallocate()
        selected.deallocate()
    }

    /// Reads the columns of a block that are needed.
    ///
    /// - Parameters:
    ///   - number: The block.
    ///   - source: What the store has.
    /// - Returns: What there is of the block.
    /// - Throws: The store's errors, except for damage.
    func load(_ number: Int64, _ source: any ColumnSource) throws -> LoadedBlock.Result {
        if let times = source.quarters(number), ColumnCount.excludes(times, question) {
            return .excluded
        }
        var stored: [StoredColumn] = []
        for column in columns {
            guard let next = try source.load(number, column) else {
                return .unreadable
            }
            if excludes(next) {
                // What it says is not checked yet.
                return next.withBlock { _ in } == nil ? .unreadable : .excluded
            }
            stored.append(next)
        }
        return .loaded(LoadedBlock(number: number, count: source.postbackCount(number), columns: stored))
    }

    /// Whether no postback of a block can match, by the range of a column's values.
    private func excludes(_ stored: StoredColumn) -> Bool {
        if stored.column == .quarter {
            return quarters.map { $0.lowerBound > stored.highest || $0.upperBound <= stored.lowest } ?? false
        }
        // A code whose text is lost may be allowed.
        return conditions.excludes(stored) && codes.values(stored.column)[Int(stored.lowest)] != nil
    }

    /// Counts the postbacks of a block.
    ///
    /// - Returns: Whether its columns are whole; if not, nothing was counted.
    /// - Throws: ``LedgerQuestionError`` for too many cells.
    mutating func count(_ block: LoadedBlock) throws -> Bool {
        let codes = codes
        let isWhole = try count(block.count) { column, use in
            try block[column]?.withBlock { values in
                // The text of a damaged code is unknown.
                try codes.areKnown(values, column, block.count) ? use(values) : nil
            }?.flatMap(\.self)
        }
        if isWhole {
            missingCount += block[.traffic]?.withBlock { $0.missingCount(block.count) } ?? 0
        }
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
            guard layout.hasRoom(for: codes) else {
                throw OutgrownLayout(codes: codes)
            }
        }
        _ = try count(values.count) { column, use in
            try values[column].withUnsafeBufferPointer { try use(ColumnBlock($0)) }
        }
    }

    /// Adds what another pass over other blocks counted, with the same layout.
    ///
    /// - Throws: ``LedgerQuestionError`` for too many cells.
    mutating func add(_ other: ScannedCells<Key>) throws {
        missingCount += other.missingCount
        var keys = other.keys
        for (index, field) in layout.timeFields.enumerated() {
            // Each pass numbers the periods as it meets them.
            let codes = other.periods[index].map { Key(truncatingIfNeeded: periods[index].code(of: $0)) << field.shift }
            guard periods[index].periods.count <= field.capacity else {
                throw LedgerQuestionError.tooManyCells(limit: question.limits.cells)
            }
            let mask = ~(Key(truncatingIfNeeded: field.capacity - 1) << field.shift)
            for position in keys.indices {
                keys[position] = keys[position] & mask | codes[field.code(keys[position])]
            }
        }
        for (key, count) in zip(keys, other.counts) {
            try cells.add(key, count)
        }
    }

    /// What was counted, to be added to another pass.
    var counted: ScannedCells<Key> {
        var counted = ScannedCells<Key>(periods: periods.map(\.periods), missingCount: missingCount)
        counted.keys.reserveCapacity(cells.count)
        counted.counts.reserveCapacity(cells.count)
        cells.forEach { key, count in
            counted.keys.append(key)
            counted.counts.append(count)
        }
        return counted
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

/// The columns of a block that a pass needs.
struct LoadedBlock: Sendable {
    let number: Int64
    /// How many of its postbacks are to be counted.
    let count: Int
    fileprivate let columns: [StoredColumn]

    fileprivate subscript(column: LedgerColumn) -> StoredColumn? {
        columns.first { $0.column == column }
    }

    /// What there is of a block.
    enum Result {
        case loaded(LoadedBlock)
        /// None of its postbacks matches.
        case excluded
        /// It is missing or damaged.
        case unreadable
    }
}

/// The counts of a pass, by key.
struct ScannedCells<Key: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    var keys: [Key] = []
    var counts: [UInt64] = []
    /// The periods of each time dimension by code.
    let periods: [[Int64]]
    /// ``ColumnScan/missingCount``.
    let missingCount: Int

    init(periods: [[Int64]], missingCount: Int) {
        self.periods = periods
        self.missingCount = missingCount
    }
}

/// Thrown when new codes exceed the room in a layout; the pass is repeated with a layout for them.
struct OutgrownLayout: Error {
    let codes: ColumnCodes
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
