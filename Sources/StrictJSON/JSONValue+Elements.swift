extension JSONValue {
    /// The elements of an array, in order; nil for any other value.
    ///
    /// - Parameter depth: How deep arrays and objects may nest.
    /// - Returns: The elements.
    package func elements(depth: Int = JSONObject.maximumDepth) -> [JSONValue]? {
        guard case .nested(let text) = self, text.utf8.first == UInt8(ascii: "[") else {
            return nil
        }
        let bytes = Array(text.utf8)
        return JSONScanner.with(bytes, depth: depth) { scanner in
            guard let values = try? scanner.scanWholeArray() else {
                return nil
            }
            let source = JSONSource(bytes: bytes, decoded: scanner.decoded)
            return values.map(source.value)
        }
    }
}
