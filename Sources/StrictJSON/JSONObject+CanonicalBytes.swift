extension JSONObject {
    /// Appends a canonical encoding: two objects have the same bytes if and only if they have the same names with the
    /// same values, regardless of order, white space and escapes.
    ///
    /// The encoding is the number of fields, then for each field, sorted by the bytes of its name, the name, a byte for
    /// the kind of value, and the value. Counts take four bytes and whole numbers eight, little-endian. Other numbers,
    /// arrays and objects are compared by their text.
    package func appendCanonicalBytes(except excluded: StaticString? = nil, to output: inout [UInt8]) {
        source.bytes.withUnsafeBufferPointer { bytes in
            source.decoded.withUnsafeBufferPointer { decoded in
                let encoder = CanonicalEncoder(bytes: bytes, decoded: decoded)
                encoder.append(scannedFields, except: excluded, to: &output)
            }
        }
    }
}

/// Writes fields sorted by name.
private struct CanonicalEncoder {
    let bytes: UnsafeBufferPointer<UInt8>
    let decoded: UnsafeBufferPointer<UInt8>

    /// A field, with the first eight bytes of its name as a big-endian number to sort by.
    private struct Entry {
        let prefix: UInt64
        let index: Int
    }

    /// The byte before each kind of value; these must never change, because stores keep digests of them.
    private enum Kind {
        static let string: UInt8 = 1
        static let integer: UInt8 = 2
        static let number: UInt8 = 3
        static let `false`: UInt8 = 4
        static let `true`: UInt8 = 5
        static let null: UInt8 = 6
        static let nested: UInt8 = 7
    }

    func append(_ fields: [ScannedJSONField], except excluded: StaticString?, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: Entry.self, capacity: max(1, fields.count)) { entries in
            var count = 0
            for (index, field) in fields.enumerated() {
                let name = text(field.name)
                if let excluded, name.hasSameBytes(as: excluded.bytes) {
                    continue
                }
                entries.initializeElement(at: count, to: Entry(prefix: prefix(name), index: index))
                count += 1
            }
            let used = UnsafeMutableBufferPointer(rebasing: entries[..<count])
            sort(used, fields)
            append(count, to: &output)
            for entry in used {
                let field = fields[entry.index]
                append(text(field.name), to: &output)
                append(field.value, to: &output)
            }
        }
    }

    private func sort(_ entries: UnsafeMutableBufferPointer<Entry>, _ fields: [ScannedJSONField]) {
        var entries = entries
        entries.sort { lhs, rhs in
            lhs.prefix != rhs.prefix
                ? lhs.prefix < rhs.prefix
                : text(fields[lhs.index].name).lexicographicallyPrecedes(text(fields[rhs.index].name))
        }
    }

    private func prefix(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard name.count < 8 else {
            return UInt64(bigEndian: UnsafeRawBufferPointer(name).loadUnaligned(as: UInt64.self))
        }
        return name.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - name.count))
    }

    private func append(_ value: ScannedJSONValue, to output: inout [UInt8]) {
        switch value {
        case .string(let string):
            output.append(Kind.string)
            append(text(string), to: &output)
        case .integer(let value):
            output.append(Kind.integer)
            withUnsafeBytes(of: value.littleEndian) { output.append(contentsOf: $0) }
        case .number(let range):
            output.append(Kind.number)
            append(UnsafeBufferPointer(rebasing: bytes[range]), to: &output)
        case .bool(let value):
            output.append(value ? Kind.true : Kind.false)
        case .null:
            output.append(Kind.null)
        case .nested(let range):
            output.append(Kind.nested)
            append(UnsafeBufferPointer(rebasing: bytes[range]), to: &output)
        }
    }

    private func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        append(text.count, to: &output)
        output.append(contentsOf: text)
    }

    private func append(_ count: Int, to output: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: count).littleEndian) { output.append(contentsOf: $0) }
    }

    @inline(__always)
    private func text(_ string: ScannedJSONString) -> UnsafeBufferPointer<UInt8> {
        switch string {
        case .plain(let range): UnsafeBufferPointer(rebasing: bytes[range])
        case .decoded(let range): UnsafeBufferPointer(rebasing: decoded[range])
        }
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
