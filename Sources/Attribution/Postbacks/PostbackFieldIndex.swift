import StrictJSON

/// The values of Apple's fields in a JSON object, found in one pass over its names.
struct PostbackFieldIndex {
    private var values: [(field: PostbackField, value: ScannedJSONValue)] = []

    init(_ object: JSONObject) {
        values.reserveCapacity(object.scannedFields.count)
        for field in object.scannedFields {
            let known = object.source.withUTF8(of: field.name) { Name($0).flatMap { Self.fields[$0] } }
            if let known {
                values.append((known, field.value))
            }
        }
    }

    /// The value of a field, or nil if the field is absent.
    subscript(field: PostbackField) -> ScannedJSONValue? {
        values.first { $0.field == field }?.value
    }

    /// A name of up to 32 bytes, padded with zeros: every name of every postback is looked up, without making strings.
    private struct Name: Hashable {
        private var bytes = SIMD4<UInt64>.zero
        private let length: Int

        init?(_ name: UnsafeBufferPointer<UInt8>) {
            guard name.count <= 32 else {
                return nil
            }
            length = name.count
            withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: UnsafeRawBufferPointer(name)) }
        }
    }

    private static let fields: [Name: PostbackField] = {
        var fields: [Name: PostbackField] = [:]
        for field in PostbackField.allCases {
            var text = field.rawValue
            if let name = text.withUTF8({ Name($0) }) {
                fields[name] = field
            }
        }
        return fields
    }()
}
