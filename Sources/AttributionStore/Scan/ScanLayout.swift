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

    /// The fields of the time dimensions.
    var timeFields: [Field] {
        dimensions.filter(\.dimension.isTime).map(\.field)
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
