import AttributionStore
import CPostgreSQL

/// The rows of a statement, in binary.
final class PostgreSQLResult {
    private let result: OpaquePointer
    /// How many rows there are.
    let count: Int

    /// Takes a result over.
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
