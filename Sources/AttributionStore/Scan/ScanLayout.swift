import Attribution

/// The bits of a key that hold the codes of traits and dimensions.
struct ScanLayout {
    /// A range of bits.
    struct Field {
        let shift: Int
        let bits: Int

        /// The first code that does not fit.
        var capacity: Int {
            1 << bits
        }

        /// Extracts the code from a key.
        func code<Key: FixedWidthInteger>(_ key: Key) -> Int {
            Int(truncatingIfNeeded: key >> shift) & (capacity - 1)
        }
    }

    /// The traits: the lowest bits.
    let traits: Field
    /// The dimensions with codes of their own; the others follow from the traits.
    private(set) var dimensions: [(dimension: ReportDimension, field: Field)] = []
    private(set) var bits: Int

    init(traitsCount: Int) {
        traits = Field(shift: 0, bits: Self.bits(traitsCount))
        bits = traits.bits
    }

    /// Adds a field for a dimension.
    mutating func add(_ dimension: ReportDimension, count: Int) {
        let field = Field(shift: bits, bits: Self.bits(count))
        dimensions.append((dimension, field))
        bits += field.bits
    }

    /// The bits needed for `count` codes, at least one.
    static func bits(_ count: Int) -> Int {
        max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
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
    func hasRoom(for codes: ColumnCodes) -> Bool {
        codes.count(.traits) <= traits.capacity
            && dimensions.allSatisfy { dimension, field in
                LedgerColumn(dimension).map { codes.count($0) <= field.capacity } ?? true
            }
    }
}

/// Thrown when new codes exceed the room in a layout; the pass is repeated with a layout for them.
struct OutgrownLayout: Error {
    let codes: ColumnCodes
}
