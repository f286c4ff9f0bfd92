/// A row of the store's tallies: those of one app's day, row after row; each is the byte of a family, the values of its
/// dimensions, each after its length, and the counts after theirs.
struct PackedTallies {
    private var rows: [(key: [UInt8], counts: EncodedCounts)] = []

    /// How many dimensions the family of each byte has.
    private static let widths = [2, 2, 4, 4]

    /// Reads what SQLite's `hex` printed; nil for anything but whole rows.
    init?(hex: some StringProtocol) {
        let digits = Array(hex.utf8)
        var bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }[...]
        // Lengths take two bytes here at most.
        func string() -> [UInt8]? {
            guard let first = bytes.popFirst(), let length = first < 0x80 ? Int(first) : second(first) else {
                return nil
            }
            guard length <= bytes.count else {
                return nil
            }
            defer { bytes = bytes.dropFirst(length) }
            return Array(bytes.prefix(length))
        }
        func second(_ first: UInt8) -> Int? {
            bytes.popFirst().flatMap { $0 < 0x80 ? Int(first & 0x7F) | Int($0) << 7 : nil }
        }
        while let family = bytes.popFirst() {
            guard Int(family) < Self.widths.count else {
                return nil
            }
            var key = [family]
            for _ in 0..<Self.widths[Int(family)] {
                guard let value = string() else {
                    return nil
                }
                key += Self.packed(value)
            }
            guard let counts = string().flatMap({ EncodedCounts(hex: Self.hex($0)) }) else {
                return nil
            }
            rows.append((key, counts))
        }
    }

    /// The same rows with every count multiplied, as an SQL literal has them between its quotes.
    func hex(times factor: Int) -> String {
        rows.map { row in
            let counts = row.counts.multiplied(by: factor).hex
            return Self.hex(row.key) + Self.hex(Self.length(counts.utf8.count / 2)) + counts
        }.joined()
    }

    private static func packed(_ value: [UInt8]) -> [UInt8] {
        length(value.count) + value
    }

    private static func length(_ count: Int) -> [UInt8] {
        count < 0x80 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
