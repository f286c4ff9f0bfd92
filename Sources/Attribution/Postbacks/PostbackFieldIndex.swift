import StrictJSON

/// The values of Apple's fields in a JSON object, found in one pass over its names.
struct PostbackFieldIndex {
    private var values: [(field: PostbackField, value: ScannedJSONValue)] = []

    init(_ object: JSONObject) {
        values.reserveCapacity(object.scannedFields.count)
        for field in object.scannedFields {
            let known = object.source.withUTF8(of: field.name) { Name($0).flatMap(Self.field) }
            if let known {
                values.append((known, field.value))
            }
        }
    }

    /// The value of a field, or nil if the field is absent.
    subscript(field: PostbackField) -> ScannedJSONValue? {
        values.first { $0.field == field }?.value
    }

    /// A name of 1 to 32 bytes, padded with zeros.
    private struct Name: Equatable {
        private var bytes = SIMD4<UInt64>.zero
        private let length: Int
        /// Where to begin to search among the slots, by the length and both ends.
        let slot: Int

        init?(_ name: UnsafeBufferPointer<UInt8>) {
            guard (1...32).contains(name.count) else {
                return nil
            }
            length = name.count
            slot = (name.count &+ 4 &* Int(name[0]) &+ 8 &* Int(name[name.count - 1])) & 127
            withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: UnsafeRawBufferPointer(name)) }
        }
    }

    /// Apple's names, open-addressed: every name of every postback is looked up, and a `Dictionary` hashes for longer
    /// than the whole text takes to scan.
    private static let slots: [(name: Name, field: PostbackField)?] = {
        var slots: [(name: Name, field: PostbackField)?] = Array(repeating: nil, count: 128)
        for field in PostbackField.allCases {
            var text = field.rawValue
            guard let name = text.withUTF8({ Name($0) }) else {
                continue
            }
            var slot = name.slot
            while slots[slot] != nil {
                slot = (slot + 1) & 127
            }
            slots[slot] = (name, field)
        }
        return slots
    }()

    private static func field(_ name: Name) -> PostbackField? {
        var slot = name.slot
        while let entry = slots[slot] {
            if entry.name == name {
                return entry.field
            }
            slot = (slot + 1) & 127
        }
        return nil
    }
}
