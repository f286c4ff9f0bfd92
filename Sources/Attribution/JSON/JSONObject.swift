/// One JSON object read strictly: UTF-8 checked, names unique, integers exact, nothing converted or filled in.
///
/// Values nested inside a field are checked against the grammar and kept as text, for a postback is flat.
///
/// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)
public struct JSONObject: Hashable, Sendable {
    /// How deep arrays and objects may nest, the object itself being level 1; a postback needs 1.
    public static let maximumDepth = 8
    /// How many names an object may have; Apple sends up to 14, forwarders add a dozen.
    public static let maximumFields = 128
    /// The default bound on the length, in bytes; a postback has about 500.
    public static let maximumLength = 16_384

    /// The fields in the order received.
    public let fields: [JSONField]

    /// Reads one object.
    ///
    /// - Parameters:
    ///   - bytes: The JSON text, UTF-8, without a byte order mark; white space around the object is allowed.
    ///   - limit: The most bytes the text may have.
    /// - Throws: ``JSONError`` naming the offset or the name at fault.
    public init(
        reading bytes: some Collection<UInt8>,
        limit: Int = JSONObject.maximumLength
    ) throws(JSONError) {
        let contiguous = Array(bytes)
        guard contiguous.count <= limit else {
            throw .tooLong(count: contiguous.count, limit: limit)
        }
        let result: Result<[JSONField], JSONError> = contiguous.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            do throws(JSONError) {
                return .success(try scanner.scanWholeObject())
            } catch {
                return .failure(error)
            }
        }
        self.fields = try result.get()
    }

    /// The value of a field, or nil when the field is absent.
    public subscript(name: String) -> JSONValue? {
        for field in fields where field.name == name {
            return field.value
        }
        return nil
    }
}
