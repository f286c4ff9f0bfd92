/// One JSON object read strictly: UTF-8 checked, names unique, integers exact, nothing converted or filled in.
///
/// The whole text is checked when it is read; names and values are created on access. Nested values are kept as text.
///
/// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)
package struct JSONObject: Sendable {
    /// How deep arrays and objects may nest by default, the object itself being level 1; a postback needs 1.
    package static let maximumDepth = 8
    /// How many names an object may have; Apple sends up to 14, forwarders add a dozen.
    package static let maximumFields = 128
    /// The default limit on the length, in bytes; a postback has about 500.
    package static let maximumLength = 16_384

    /// The text.
    package let source: JSONSource
    /// The scanned fields, in the order received.
    package let scannedFields: [ScannedJSONField]

    /// Reads one object.
    ///
    /// - Parameters:
    ///   - bytes: The JSON text, UTF-8, without a byte order mark; white space around the object is allowed.
    ///   - limit: The maximum length of the text, in bytes.
    ///   - depth: How deep arrays and objects may nest; at most 64.
    /// - Throws: ``JSONError`` with the offset or the name at fault.
    package init(
        reading bytes: some Collection<UInt8>,
        limit: Int = JSONObject.maximumLength,
        depth: Int = JSONObject.maximumDepth
    ) throws(JSONError) {
        let contiguous = Array(bytes)
        guard contiguous.count <= limit else {
            throw .tooLong(count: contiguous.count, limit: limit)
        }
        try self.init(contiguous, in: contiguous.indices, depth: depth)
    }

    /// Reads an object that is part of a text, without copying it.
    init(_ bytes: [UInt8], in range: Range<Int>, depth: Int) throws(JSONError) {
        (scannedFields, source) = try JSONScanner.with(bytes, in: range, depth: depth) { scanner throws(JSONError) in
            let fields = try scanner.scanWholeObject()
            return (fields, JSONSource(bytes: bytes, decoded: scanner.decoded))
        }
    }

    /// The fields in the order received.
    package var fields: [JSONField] {
        scannedFields.map { JSONField(name: source.string($0.name), value: source.value($0.value)) }
    }

    /// The value of a field, or nil when the field is absent.
    package subscript(name: String) -> JSONValue? {
        scannedValue(of: name).map(source.value)
    }

    /// Whether a field is present, even if it is `null`.
    package func has(_ name: String) -> Bool {
        scannedValue(of: name) != nil
    }

    /// Whether a field is a string with exactly the bytes of a text.
    package func isString(_ name: String, _ text: String) -> Bool {
        if case .string(let string) = scannedValue(of: name) { source.isString(string, text) } else { false }
    }

    /// The type and the shortened text of a field, for messages.
    package func summary(of name: String) -> String {
        scannedValue(of: name).map(source.summary) ?? "nothing"
    }

    /// The beginning of a string field, for messages; nil for anything else.
    package func excerpt(of name: String) -> String? {
        if case .string(let string) = scannedValue(of: name) { source.excerpt(string) } else { nil }
    }

    /// The value of a field as it was scanned; nil for an absent field.
    func scannedValue(of name: String) -> ScannedJSONValue? {
        var name = name
        return name.withUTF8 { name in
            scannedFields.first { field in source.withUTF8(of: field.name) { $0.hasSameBytes(as: name) } }?.value
        }
    }
}
