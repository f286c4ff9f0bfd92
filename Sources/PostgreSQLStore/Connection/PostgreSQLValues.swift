import AttributionStore
import CPostgreSQL

/// A value of a statement, sent in binary beside its text.
struct PostgreSQLParameter {
    /// The number that PostgreSQL knows the type by.
    let type: UInt32
    /// The value as PostgreSQL reads it; nil for NULL.
    let bytes: [UInt8]?

    private init(_ type: UInt32, _ bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }

    static func bool(_ value: Bool) -> Self { Self(16, [value ? 1 : 0]) }
    static func bytes(_ value: [UInt8]) -> Self { Self(17, value) }
    static func integer(_ value: Int64?) -> Self { Self(20, value.map { [UInt8](bigEndian: $0) }) }
    static func text(_ value: String?) -> Self { Self(25, value.map(utf8)) }
    static func digest(_ value: Digest16?) -> Self { Self(2950, value?.bytes) }

    static func blobs(_ values: [[UInt8]]) -> Self { array(1001, of: 17, values) { $0 } }
    static func smallIntegers(_ values: [Int32]) -> Self { array(1007, of: 23, values) { [UInt8](bigEndian: $0) } }
    static func texts(_ values: [String]) -> Self { array(1009, of: 25, values, utf8) }
    static func integers(_ values: [Int64]) -> Self { array(1016, of: 20, values) { [UInt8](bigEndian: $0) } }
    static func digests(_ values: [Digest16]) -> Self { array(2951, of: 2950, values, \.bytes) }

    /// PostgreSQL has no text with a zero byte, and a body that is kept may speak of one.
    private static func utf8(_ text: String) -> [UInt8] {
        text.utf8.contains(0) ? Array(text.replacing("\0", with: "\u{2400}").utf8) : Array(text.utf8)
    }

    /// An array of one dimension: how many dimensions, whether any is NULL, the type, how many, the first index; then each
    /// with its length.
    private static func array<Value>(
        _ type: UInt32, of element: UInt32, _ values: [Value], _ bytes: (Value) -> [UInt8]
    ) -> Self {
        var array = [UInt8](bigEndian: Int32(values.isEmpty ? 0 : 1)) + [0, 0, 0, 0] + [UInt8](bigEndian: element)
        if !values.isEmpty {
            array += [UInt8](bigEndian: Int32(values.count)) + [UInt8](bigEndian: Int32(1))
        }
        for value in values {
            let bytes = bytes(value)
            withUnsafeBytes(of: Int32(bytes.count).bigEndian) { array += $0 }
            array += bytes
        }
        return Self(type, array)
    }
}

extension [UInt8] {
    fileprivate init(bigEndian value: some FixedWidthInteger) {
        self = Swift.withUnsafeBytes(of: value.bigEndian, Array.init)
    }
}

/// The rows of a statement, in binary.
final class PostgreSQLResult {
    private let result: OpaquePointer
    let count: Int

    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(cpq_ntuples(result))
    }

    deinit {
        cpq_clear(result)
    }

    /// How many rows a statement without RETURNING changed.
    var changedCount: Int64 {
        cpq_cmdTuples(result).flatMap { Int64(String(cString: $0)) } ?? 0
    }

    /// What the server did, as `COMMIT`.
    var command: String {
        cpq_cmdStatus(result).map { String(cString: $0) } ?? ""
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        cpq_getisnull(result, Int32(row), Int32(column)) != 0
    }

    private func value(_ row: Int, _ column: Int) throws -> UnsafeRawBufferPointer {
        guard !isNull(row, column), let start = cpq_getvalue(result, Int32(row), Int32(column)) else {
            throw DamagedValue(column: column)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(cpq_getlength(result, Int32(row), Int32(column))))
    }

    /// A number of two, four or eight bytes, or a truth value.
    func integer(_ row: Int, _ column: Int) throws -> Int64 {
        let bytes = try value(row, column)
        switch bytes.count {
        case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: return Int64(bytes[0])
        default: throw DamagedValue(column: column)
        }
    }

    func optional(_ row: Int, _ column: Int) throws -> Int64? {
        try isNull(row, column) ? nil : integer(row, column)
    }

    func bool(_ row: Int, _ column: Int) throws -> Bool {
        try integer(row, column) != 0
    }

    func text(_ row: Int, _ column: Int) throws -> String {
        String(decoding: try value(row, column), as: UTF8.self)
    }

    /// One of a closed set of words.
    func word<Word: RawRepresentable<String>>(_ row: Int, _ column: Int) throws -> Word {
        guard let word = Word(rawValue: try text(row, column)) else {
            throw DamagedValue(column: column)
        }
        return word
    }

    /// The index of a word among others; their count for any other word.
    func index(_ row: Int, _ column: Int, of words: [String]) throws -> Int {
        let bytes = try value(row, column)
        return words.firstIndex { $0.utf8.elementsEqual(bytes) } ?? words.count
    }

    func bytes(_ row: Int, _ column: Int) throws -> [UInt8] {
        Array(try value(row, column))
    }

    func digest(_ row: Int, _ column: Int) throws -> Digest16 {
        guard let digest = Digest16(try value(row, column)) else {
            throw DamagedValue(column: column)
        }
        return digest
    }
}

/// A value is not of the type that the schema gives it.
struct DamagedValue: Error {
    let column: Int
}
