/// A 64-bit checksum that detects damage; it multiplies and folds eight bytes at a time, at several gigabytes a second.
///
/// It does not protect against deliberate changes. It is part of the file format.
package struct Checksum: Sendable {
    /// The checksum of what was added.
    package private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    package init() {}

    package mutating func add(_ word: UInt64) {
        let (high, low) = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = high ^ low ^ 0xA076_1D64_78BD_642F
    }

    package mutating func add(_ number: Int64) {
        add(UInt64(bitPattern: number))
    }

    /// Adds bytes and their count.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(bytes.count)
        while offset < bytes.count {
            last = last << 8 | UInt64(bytes[offset])
            offset += 1
        }
        add(last)
    }

    /// Adds the UTF-8 of a text and its count.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}
