import Attribution
import GRDB

/// The counts of a row of tallies as one value: nearly all of the hundred and more are 0, and are left out.
///
/// A sequence of pairs: a byte that names the counter, and the count, packed. The names are for ever; a counter added
/// later gets a new one.
extension Metrics {
    /// Appends the counts that are not 0.
    func encode(into bytes: inout [UInt8]) {
        for (count, code) in zip(counts, Counter.codes) where count != 0 {
            bytes.append(code)
            bytes.appendPacked(UInt64(bitPattern: count))
        }
    }

    /// Adds encoded counts.
    ///
    /// - Parameter bytes: What ``encode(into:)`` appended.
    /// - Throws: `DatabaseError` for anything else.
    mutating func add(encoded bytes: UnsafeRawBufferPointer) throws {
        var reader = PackedReader(bytes)
        while !reader.isAtEnd {
            let code = try reader.byte()
            guard let counter = Counter.placesByCode[Int(code)] else {
                throw DatabaseError(message: "unknown counter \(code) in the tallies")
            }
            let count = try reader.number()
            // No count comes near; so large that sums of it overflow, it is damage.
            guard count <= 1 << 48 else {
                throw DatabaseError(message: "a count of \(count) in the tallies")
            }
            add(Int64(count), at: counter)
        }
    }
}

extension Metrics.Counter {
    /// The byte of each counter, in the order of ``Metrics/counters``.
    fileprivate static let codes: [UInt8] = Metrics.counters.map(\.code)

    /// The place of the counter of each byte.
    fileprivate static let placesByCode: [Int?] = {
        var places = [Int?](repeating: nil, count: 256)
        for (place, code) in codes.enumerated() {
            places[Int(code)] = place
        }
        return places
    }()

    private var code: UInt8 {
        switch self {
        case .postbacks: 0
        case .installs: 1
        case .redownloads: 2
        case .newInstalls: 3
        case .wins: 4
        case .losses: 5
        case .secondWindow: 6
        case .thirdWindow: 7
        case .reengagements: 8
        case .laterReengagements: 9
        case .unprovenRedownloads: 10
        case .laterConversion(let conversion): 32 + conversion.code
        case .conversion(let conversion): 48 + conversion.code
        case .reengagementConversion(let conversion): 128 + conversion.code
        }
    }
}

extension Conversion {
    fileprivate var code: UInt8 {
        switch self {
        case .absent: 0
        case .null: 1
        case .coarse(.low): 2
        case .coarse(.medium): 3
        case .coarse(.high): 4
        case .invalid: 5
        case .fine(let value): 8 + value
        }
    }
}
