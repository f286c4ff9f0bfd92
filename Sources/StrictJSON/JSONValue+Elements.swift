extension JSONValue {
    /// The elements of an array, in order; nil for any other value.
    ///
    /// - Parameter depth: How deep arrays and objects may nest.
    /// - Returns: The elements.
    package func elements(depth: Int = JSONObject.maximumDepth) -> [JSONValue]? {
        guard case .nested(let text) = self else {
            return nil
        }
        let bytes = Array(text.utf8)
        return JSONSource(bytes: bytes, decoded: []).elements(of: .nested(bytes.indices), depth: depth)
            .map { source, values in values.map(source.value) }
    }
}
