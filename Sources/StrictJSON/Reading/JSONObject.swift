/// One JSON object read strictly: UTF-8 checked, names unique, integers exact, nothing converted or filled in.
///
/// Values nested inside a field are checked against the grammar and kept as text, for a postback is flat. The whole text
/// is checked when it is read; names and values are made from it when they are asked for.
///
/// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)
package struct JSONObject: Sendable {
    /// How deep arrays and objects may nest, the object itself being level 1; a postback needs 1.
    package static let maximumDepth = 8
    /// How many names an object may have; Apple sends up to 14, forwarders add a dozen.
    package static let maximumFields = 128
    /// The default bound on the length, in bytes; a postback has about 500.
    package static let maximumLength = 16_384

    /// The text.
    package let source: JSONSource
    /// The ranges of the fields in it, in the order received.
    package let places: [JSONFieldPlace]

    /// Reads one object.
    ///
    /// - Parameters:
    ///   - bytes: The JSON text, UTF-8, without a byte order mark; white space around the object is allowed.
    ///   - limit: The most bytes the text may have.
    /// - Throws: ``JSONError`` naming the offset or the name at fault.
    package init(
        reading bytes: some Collection<UInt8>,
        limit: Int = JSONObject.maximumLength
    ) throws(JSONError) {
        let contiguous = Array(bytes)
        guard contiguous.count <= limit else {
            throw .tooLong(count: contiguous.count, limit: limit)
        }
        var decoded: [UInt8] = []
        let result: Result<[JSONFieldPlace], JSONError> = JSONScanner.with(contiguous) { scanner in
            do throws(JSONError) {
                let places = try scanner.scanWholeObject()
                decoded = scanner.decoded
                return .success(places)
            } catch {
                return .failure(error)
            }
        }
        places = try result.get()
        source = JSONSource(bytes: contiguous, decoded: decoded)
    }

    /// The fields in the order received.
    package var fields: [JSONField] {
        places.map { JSONField(name: source.string($0.name), value: source.value($0.value)) }
    }

    /// The value of a field, or nil when the field is absent.
    package subscript(name: String) -> JSONValue? {
        place(of: name).map(source.value)
    }

    /// Whether a field is there, whatever its value.
    package func has(_ name: String) -> Bool {
        place(of: name) != nil
    }

    /// Whether a field is a string with exactly the bytes of a text.
    package func isString(_ name: String, _ text: String) -> Bool {
        if case .string(let place) = place(of: name) { source.isString(place, text) } else { false }
    }

    /// What a field is, for messages.
    package func summary(of name: String) -> String {
        place(of: name).map(source.summary) ?? "nothing"
    }

    /// The beginning of a string, as much as a message may show; nil for anything else.
    package func excerpt(of name: String) -> String? {
        if case .string(let place) = place(of: name) { source.excerpt(place) } else { nil }
    }

    private func place(of name: String) -> JSONValuePlace? {
        places.first { source.isString($0.name, name) }?.value
    }
}
