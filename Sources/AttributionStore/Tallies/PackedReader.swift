import GRDB

/// Takes numbers and byte strings out of a value of the store that packs many of them.
///
/// A number stands in groups of seven bits, the lowest first, the highest bit of a byte saying that more follow.
struct PackedReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether everything was taken.
    var isAtEnd: Bool {
        position == bytes.count
    }

    /// Takes a byte.
    mutating func byte() throws -> UInt8 {
        guard position < bytes.count else {
            throw Self.cutOff
        }
        defer { position += 1 }
        return bytes[position]
    }

    /// Takes a number.
    mutating func number() throws -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || (shift == 63 && next <= 1) else {
                throw DatabaseError(message: "a number in the tallies is too large")
            }
            number |= UInt64(next & 0x7F) << shift
            shift += 7
            if next & 0x80 == 0 {
                return number
            }
        }
    }

    /// Takes a byte string, which stands after its length.
    mutating func string() throws -> UnsafeRawBufferPointer {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else {
            throw Self.cutOff
        }
        return take(Int(count))
    }

    /// The bytes since a position, once more.
    func taken(since start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    private static let cutOff = DatabaseError(message: "a row of the tallies is cut off")
}

extension [UInt8] {
    /// Appends a number as ``PackedReader`` takes it.
    mutating func appendPacked(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends a text after its length.
    mutating func appendPacked(_ text: String) {
        appendPacked(UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }

    /// Appends bytes after their number.
    mutating func appendPacked(_ bytes: [UInt8]) {
        appendPacked(UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
