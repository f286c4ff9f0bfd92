import Attribution

/// Where the codes of traits and dimensions lie in a key.
struct ScanLayout {
    /// A part of a key.
    struct Field {
        let shift: Int
        let bits: Int

        /// The first code that does not fit.
        var capacity: Int {
            1 << bits
        }

        /// Takes the code out of a key.
        func code<Key: FixedWidthInteger>(_ key: Key) -> Int {
            Int(truncatingIfNeeded: key >> shift) & (capacity - 1)
        }
    }

    /// The traits: the lowest bits.
    let traits: Field
    /// The dimensions that have a code of their own; the others follow from the traits.
    private(set) var dimensions: [(dimension: ReportDimension, field: Field)] = []
    private(set) var bits: Int

    init(traitsCount: Int) {
        traits = Field(shift: 0, bits: Self.bits(traitsCount))
        bits = traits.bits
    }

    /// Makes room for a dimension.
    mutating func add(_ dimension: ReportDimension, count: Int) {
        let field = Field(shift: bits, bits: Self.bits(count))
        dimensions.append((dimension, field))
        bits += field.bits
    }

    /// The bits for numbers from 0 to one less than a count, at least one.
    static func bits(_ count: Int) -> Int {
        max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
    }
}
