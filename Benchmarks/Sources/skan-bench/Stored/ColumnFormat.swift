/// The columns of a store, written down a second time from the description of the format.
enum ColumnFormat {
    /// The postbacks of a block.
    static let rowCount = 4_096
    static let rules: Int64 = 1

    /// The columns by their numbers.
    enum Column: Int64, CaseIterable {
        case traffic, traits, quarter, app, campaignID, sourceIdentifier, sourceApp, sourceDomain, network, country,
            marketplace, recipient, transaction, key
    }

    /// The row of a block's column.
    struct Row {
        let id: Int64
        let lowest: Int64
        let highest: Int64
        let offsets: [UInt8]
        let checksum: Int64

        /// Encodes the values of block `number`.
        init(_ values: [Int64], block number: Int, _ column: Column) {
            id = Int64(number) * 64 + column.rawValue
            lowest = values.min() ?? 0
            highest = values.max() ?? 0
            let lowest = lowest
            func bytes<Word: FixedWidthInteger>(_: Word.Type) -> [UInt8] {
                let words = values.map { Word(truncatingIfNeeded: $0 &- lowest).littleEndian }
                return words.withUnsafeBytes { [UInt8]($0) }
            }
            offsets =
                switch UInt64(bitPattern: highest &- lowest) {
                case 0: []
                case ...0xFF: bytes(UInt8.self)
                case ...0xFFFF: bytes(UInt16.self)
                case ...0xFFFF_FFFF: bytes(UInt32.self)
                default: bytes(UInt64.self)
                }
            var sum = ColumnChecksum()
            for number in [id, rules, lowest, highest] {
                sum.add(UInt64(bitPattern: number))
            }
            offsets.withUnsafeBytes { sum.add($0) }
            checksum = Int64(bitPattern: sum.value)
        }
    }

    /// The checksum of the text that a code stands for.
    static func checksum(_ column: Column, code: Int64, _ text: String) -> Int64 {
        var sum = ColumnChecksum()
        sum.add(UInt64(bitPattern: column.rawValue))
        sum.add(UInt64(bitPattern: code))
        Array(text.utf8).withUnsafeBytes { sum.add($0) }
        return Int64(bitPattern: sum.value)
    }
}

/// The 64 bits with which a store notices damage.
struct ColumnChecksum {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func add(_ word: UInt64) {
        let (high, low) = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = high ^ low ^ 0xA076_1D64_78BD_642F
    }

    /// Adds bytes, eight at a time; what is left goes into the last word, behind the length.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        let whole = bytes.count / 8 * 8
        for offset in stride(from: 0, to: whole, by: 8) {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        add(bytes[whole...].reduce(UInt64(bytes.count)) { $0 << 8 | UInt64($1) })
    }
}
