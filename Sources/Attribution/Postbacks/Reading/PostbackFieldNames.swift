/// Finds Apple's fields by the bytes of their names, without creating strings.
///
/// A custom hash table, because every name of every postback is looked up; a linear search made reading a quarter
/// slower.
struct PostbackFieldNames: Sendable {
    /// A name of up to 32 bytes, padded with zeros.
    private struct Name: Equatable {
        var bytes = SIMD4<UInt64>.zero
        let length: Int
    }

    /// An open-addressed table of the fields, hashed by the length and both ends of their names.
    private var slots: [(name: Name, field: PostbackField)?] = Array(repeating: nil, count: 128)

    /// The names of all fields.
    static let all = PostbackFieldNames()

    private init() {
        for field in PostbackField.allCases {
            var text = field.rawValue
            text.withUTF8 { bytes in
                guard let name = Self.name(bytes) else {
                    preconditionFailure("The name \(field.rawValue) does not have 1 to 32 bytes.")
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
    /// - Returns: The field, or nil if Apple has no field with the name.
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

    /// The factors are chosen so that no two of today's fields collide.
    private static func slot(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        (bytes.count &+ 4 &* Int(bytes[0]) &+ 8 &* Int(bytes[bytes.count - 1])) & 127
    }
}
