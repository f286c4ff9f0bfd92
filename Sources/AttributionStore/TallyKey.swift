import Attribution

/// The key of one row of a tally table.
///
/// It is looked up for every postback and table, and so hashed once from hashes that all tables of a postback share.
struct TallyKey: Sendable {
    /// Days since 1970-01-01 UTC.
    let day: Int64
    let provenance: Provenance
    /// The values in the order of the table's dimensions.
    let values: [String]
    private let hash: UInt64

    /// Makes a key.
    init(day: Int64, provenance: Provenance, values: [String]) {
        self.init(day: day, provenance: provenance, values: values, hashes: values.map(Self.hash))
    }

    /// Makes a key from values whose hashes are known.
    init(day: Int64, provenance: Provenance, values: [String], hashes: some Sequence<UInt64>) {
        self.day = day
        self.provenance = provenance
        self.values = values
        hash = hashes.reduce(UInt64(bitPattern: day)) { ($0 ^ $1) &* 0x9E37_79B9_7F4A_7C15 }
    }

    /// The hash of one value.
    ///
    /// Nobody gains by a collision: Apple signs nearly all values, and rows of one hash are compared.
    static func hash(_ value: String) -> UInt64 {
        var value = value
        return value.withUTF8 { bytes in
            bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }
}

extension TallyKey: Hashable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.hash == rhs.hash && lhs.day == rhs.day && lhs.provenance == rhs.provenance && lhs.values == rhs.values
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
