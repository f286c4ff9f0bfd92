import AttributionStore

/// A value of a statement, sent in binary beside its text.
enum PostgreSQLParameter {
    case integer(Int64?)
    case text(String?)
    case bytes([UInt8])
    case digest(Digest16?)
    case bool(Bool)
    case integers([Int64])
    case smallIntegers([Int32])
    case texts([String])
    case blobs([[UInt8]])
    case digests([Digest16])

    /// The number that PostgreSQL knows the type by.
    var type: UInt32 {
        switch self {
        case .integer: TypeNumber.int8
        case .text: TypeNumber.text
        case .bytes: TypeNumber.bytea
        case .digest: TypeNumber.uuid
        case .bool: TypeNumber.bool
        case .integers: 1016
        case .smallIntegers: 1007
        case .texts: 1009
        case .blobs: 1001
        case .digests: 2951
        }
    }

    private enum TypeNumber {
        static let bool: UInt32 = 16
        static let bytea: UInt32 = 17
        static let int8: UInt32 = 20
        static let int4: UInt32 = 23
        static let text: UInt32 = 25
        static let uuid: UInt32 = 2950
    }

    /// Appends the value as PostgreSQL reads it.
    ///
    /// - Returns: False for NULL, which has no bytes.
    func append(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .integer(let value?): bytes.append(bigEndian: value)
        case .text(let value?): bytes.append(text: value)
        case .digest(let value?): bytes.append(digest: value)
        case .integer(nil), .text(nil), .digest(nil): return false
        case .bytes(let value): bytes += value
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .integers(let values):
            bytes.append(array: values, of: TypeNumber.int8) { $0.append(bigEndian: $1) }
        case .smallIntegers(let values):
            bytes.append(array: values, of: TypeNumber.int4) { $0.append(bigEndian: $1) }
        case .texts(let values):
            bytes.append(array: values, of: TypeNumber.text) { $0.append(text: $1) }
        case .blobs(let values):
            bytes.append(array: values, of: TypeNumber.bytea) { $0 += $1 }
        case .digests(let values):
            bytes.append(array: values, of: TypeNumber.uuid) { $0.append(digest: $1) }
        }
        return true
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// PostgreSQL has no text with a zero byte, and a body that is kept may speak of one.
    fileprivate mutating func append(text: String) {
        for byte in text.utf8 {
            if byte == 0 {
                append(contentsOf: "\u{2400}".utf8)
            } else {
                append(byte)
            }
        }
    }

    fileprivate mutating func append(digest: Digest16) {
        append(bigEndian: digest.high)
        append(bigEndian: digest.low)
    }

    /// An array of one dimension: how many dimensions, whether any is NULL, the type, how many, the first index; then each
    /// with its length.
    fileprivate mutating func append<Value>(
        array values: [Value],
        of type: UInt32,
        _ appendElement: (inout [UInt8], Value) -> Void
    ) {
        append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        append(bigEndian: Int32(0))
        append(bigEndian: type)
        guard !values.isEmpty else {
            return
        }
        append(bigEndian: Int32(values.count))
        append(bigEndian: Int32(1))
        for value in values {
            let start = count
            append(bigEndian: Int32(0))
            appendElement(&self, value)
            let length = Int32(count - start - 4)
            for (offset, byte) in Swift.withUnsafeBytes(of: length.bigEndian, Array.init).enumerated() {
                self[start + offset] = byte
            }
        }
    }
}
