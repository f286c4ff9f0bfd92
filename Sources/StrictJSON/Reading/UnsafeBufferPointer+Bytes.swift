extension UnsafeBufferPointer<UInt8> {
    /// Whether both hold the same bytes.
    package func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        count == other.count && !differs(from: other)
    }

    /// The beginning of a text, for messages, cut between two characters.
    package var excerpt: UnsafeBufferPointer<UInt8> {
        var end = Swift.min(count, 256)
        // Continuation bytes are 10xxxxxx.
        while end < count, end > 0, self[end] & 0xC0 == 0x80 {
            end -= 1
        }
        return UnsafeBufferPointer(rebasing: self[..<end])
    }

    /// The index of the first occurrence of a byte at or after an index, or nil if there is none.
    package func firstIndex(of wanted: UInt8, from start: Int) -> Int? {
        let lows: UInt64 = 0x0101_0101_0101_0101
        let raw = UnsafeRawBufferPointer(self)
        var index = start
        while index + 8 <= count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let differences = word ^ lows &* UInt64(wanted)
            let found = (differences &- lows) & ~differences & 0x8080_8080_8080_8080
            guard found == 0 else {
                return index + found.trailingZeroBitCount / 8
            }
            index += 8
        }
        while index < count {
            guard self[index] != wanted else {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Whether it precedes another buffer in lexicographic byte order.
    package func precedes(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        lexicographicallyPrecedes(other)
    }

    /// Compares eight bytes at a time; both must have the same length.
    private func differs(from other: UnsafeBufferPointer<UInt8>) -> Bool {
        let (mine, theirs) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        while index + 8 <= count {
            let word = mine.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word == theirs.loadUnaligned(fromByteOffset: index, as: UInt64.self) else {
                return true
            }
            index += 8
        }
        while index < count {
            guard mine[index] == theirs[index] else {
                return true
            }
            index += 1
        }
        return false
    }
}
