/// Finds Apple's field by the bytes of its name, without making a string of them.
///
/// A hash table of its own, since every name of every postback is looked up: names sorted by length, and compared one
/// after the other, made reading a postback take a quarter longer.
struct PostbackFieldNames: Sendable {
    /// A name of up to 32 bytes, the rest zeros; the length tells it from one that ends in zeros.
    private struct Name: Equatable {
        var bytes = SIMD4<UInt64>.zero
        let length: Int
    }

    /// The fields, each in the slot its name's length and ends give, or else in the next that is free.
    private var slots: [(name: Name, field: PostbackField)?] = Array(repeating: nil, count: 128)

    /// The names of all fields.
    static let all = PostbackFieldNames()

    private init() {
        for field in PostbackField.allCases {
            var text = field.rawValue
            text.withUTF8 { bytes in
                guard let name = Self.name(bytes) else {
                    preconditionFailure("\(field.rawValue) is no name of 1 to 32 bytes.")
                }
                var slot = Self.slot(bytes)
                while slots[slot] != nil {
                    slot = (slot + 1) & 127
                }
                slots[slot] = (name, field)
            }
        }
    }

    /// Finds the field with a name.
    ///
    /// - Parameter bytes: The name.
    /// - Returns: The field, nil for a name that is none of Apple's.
    func field(named bytes: UnsafeBufferPointer<UInt8>) -> PostbackField? {
        guard let name = Self.name(bytes) else {
            return nil
        }
        var slot = Self.slot(bytes)
        while let entry = slots[slot] {
            if entry.name == name {
                return entry.field
            }
            slot = (slot + 1) & 127
        }
        return nil
    }

    private static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> Name? {
        guard (1...32).contains(bytes.count) else {
            return nil
        }
        var name = Name(length: bytes.count)
        withUnsafeMutableBytes(of: &name.bytes) { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
        return name
    }

    /// Right with any factors; with these no two of today's fields want the same slot.
    private static func slot(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        (bytes.count &+ 4 &* Int(bytes[0]) &+ 8 &* Int(bytes[bytes.count - 1])) & 127
    }
}
