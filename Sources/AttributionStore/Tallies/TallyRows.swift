import Attribution
import GRDB

/// The tallies of one app's day as one value of the store: row after row, each its key and its counts.
///
/// A key is the byte that names the family, then the values of the family's dimensions in their order, each after its
/// length; the counts stand after their length, encoded as `Metrics` does. A row of the database for each app and day in
/// place of one for each combination: most combinations change from one writing to the next, and so cost a few bytes
/// each in place of a look-up.
struct TallyRows {
    /// The rows, packed.
    private(set) var bytes: [UInt8]
    /// The counts of the row appended last, encoded.
    private var counts: [UInt8] = []

    /// No rows, with room for some.
    init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Appends a row.
    mutating func append(key: some Collection<UInt8>, _ metrics: Metrics) {
        bytes.append(contentsOf: key)
        counts.removeAll(keepingCapacity: true)
        metrics.encode(into: &counts)
        bytes.appendPacked(counts)
    }

    /// Appends a row as it stands in another value.
    mutating func append(_ row: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: row)
    }

    /// One row where it lies.
    struct Row {
        let family: TallyFamily
        /// Its family and values, packed.
        let key: UnsafeRawBufferPointer
        /// Its counts, encoded.
        let counts: UnsafeRawBufferPointer
        /// All of it.
        let bytes: UnsafeRawBufferPointer
    }

    /// Hands over each row of a value.
    ///
    /// - Parameters:
    ///   - bytes: The value.
    ///   - use: Takes a row; it lies where the value does.
    /// - Throws: `DatabaseError` for bytes that are no rows, and what `use` throws.
    static func each(in bytes: UnsafeRawBufferPointer, _ use: (Row) throws -> Void) throws {
        var reader = PackedReader(bytes)
        while !reader.isAtEnd {
            let start = reader.position
            let code = try reader.byte()
            guard let family = TallyFamily(code: code) else {
                throw DatabaseError(message: "unknown family \(code) in the tallies")
            }
            for _ in family.dimensions {
                _ = try reader.string()
            }
            let key = reader.taken(since: start)
            let counts = try reader.string()
            try use(Row(family: family, key: key, counts: counts, bytes: reader.taken(since: start)))
        }
    }

    /// The values of a key.
    static func values(_ key: UnsafeRawBufferPointer) throws -> [String] {
        var reader = PackedReader(key)
        _ = try reader.byte()
        var values: [String] = []
        while !reader.isAtEnd {
            values.append(String(decoding: try reader.string(), as: UTF8.self))
        }
        return values
    }
}
