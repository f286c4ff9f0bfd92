/// A row of the store's tallies: those of one app's day, row after row; each is the byte of a family, the values of its
/// dimensions, each after its length, and the counts after theirs.
struct PackedTallies {
    private var rows: [(key: [UInt8], counts: EncodedCounts)] = []

    /// How many dimensions the family of each byte has.
    private static let widths = [2, 2, 4, 4]

    /// Reads what SQLite's `hex` printed; nil for anything but whole rows.
    init?(hex: some StringProtocol) {
        var packed = PackedBytes(hex: hex)
        while let family = packed.byte() {
            guard Int(family) < Self.widths.count else {
                return nil
            }
            var key = [family]
            for _ in 0..<Self.widths[Int(family)] {
                guard let value = packed.string() else {
                    return nil
                }
                key += PackedBytes.packed(value)
            }
            guard let counts = packed.string().flatMap({ EncodedCounts($0) }) else {
                return nil
            }
            rows.append((key, counts))
        }
    }

    /// The same rows with every count multiplied, as an SQL literal has them between its quotes.
    func hex(times factor: Int) -> String {
        rows.flatMap { $0.key + PackedBytes.packed($0.counts.bytes(times: factor)) }
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
