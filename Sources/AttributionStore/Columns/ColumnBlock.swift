/// The values of one column for consecutive postbacks, stored as offsets from the lowest value in as few bytes as the
/// highest offset needs.
package struct ColumnBlock {
    package let lowest: Int64
    package let highest: Int64
    /// What the offsets are added to.
    let base: Int64
    /// The bytes per value: 0, 1, 2, 4 or 8.
    let width: Int
    /// The differences from ``base``, little-endian.
    let offsets: UnsafeRawBufferPointer

    /// The postbacks of a full block.
    package static let rowCount = 4_096

    /// The version of the rules that derive values from a postback's bytes; raise it so that older blocks are rebuilt.
    package static let rules: Int64 = 1

    /// Checks what is stored; nil if it is damaged or built by other rules.
    package init?(
        _ identity: Checksum,
        count: Int,
        rules: Int64,
        lowest: Int64,
        highest: Int64,
        offsets: UnsafeRawBufferPointer,
        checksum: Int64
    ) {
        self.lowest = lowest
        self.highest = highest
        self.offsets = offsets
        base = lowest
        width = count > 0 ? offsets.count / count : 0
        guard rules == Self.rules, width <= 8, width & (width - 1) == 0, offsets.count == width * count,
            checksum == Self.checksum(identity, rules, lowest, highest, offsets)
        else {
            return nil
        }
    }

    /// Wraps values in memory.
    init(_ values: UnsafeBufferPointer<Int64>) {
        lowest = values.min() ?? 0
        highest = values.max() ?? 0
        base = 0
        width = 8
        offsets = UnsafeRawBufferPointer(values)
    }

    fileprivate static func checksum(
        _ identity: Checksum,
        _ rules: Int64,
        _ lowest: Int64,
        _ highest: Int64,
        _ offsets: UnsafeRawBufferPointer
    ) -> Int64 {
        var checksum = identity
        for number in [rules, lowest, highest] {
            checksum.add(number)
        }
        checksum.add(offsets)
        return Int64(bitPattern: checksum.value)
    }

    // MARK: Values

    /// The value of a postback.
    package subscript(index: Int) -> Int64 {
        let offset: UInt64 =
            switch width {
            case 1: UInt64(offsets[index])
            case 2: UInt64(UInt16(littleEndian: load(index)))
            case 4: UInt64(UInt32(littleEndian: load(index)))
            case 8: UInt64(littleEndian: load(index))
            default: 0
            }
        return base &+ Int64(bitPattern: offset)
    }

    private func load<Word: FixedWidthInteger>(_ index: Int) -> Word {
        offsets.loadUnaligned(fromByteOffset: index * MemoryLayout<Word>.size, as: Word.self)
    }

    /// Appends the bits of the first `count` values.
    package func append(to bits: inout [UInt64], count: Int) {
        for index in 0..<count {
            bits.append(UInt64(bitPattern: self[index]))
        }
    }

    /// How many of the first `count` postbacks of a block of traffic are marked as missing.
    package func missingCount(_ count: Int) -> Int {
        lowest > 0 ? 0 : (0..<count).count { self[$0] == 0 }
    }
}

/// A column on its way into a store.
package struct EncodedColumn {
    package let lowest: Int64
    package let highest: Int64
    package let offsets: [UInt8]

    /// Encodes the values of a block.
    package init(_ values: [Int64]) {
        lowest = values.min() ?? 0
        highest = values.max() ?? 0
        offsets = Self.encode(values, lowest: lowest, highest: highest)
    }

    /// Encodes one column of a block's postbacks.
    package init(_ rows: ArraySlice<ColumnRow>, _ column: LedgerColumn) {
        self.init(rows.map { $0[column] })
    }

    /// Computes the checksum to store beside it.
    package func checksum(_ identity: Checksum) -> Int64 {
        offsets.withUnsafeBytes { ColumnBlock.checksum(identity, ColumnBlock.rules, lowest, highest, $0) }
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
}
