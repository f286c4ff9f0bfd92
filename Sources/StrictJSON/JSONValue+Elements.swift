extension JSONValue {
    /// The elements of an array, which stands here as its text; nil for any other value.
    ///
    /// - Returns: The elements in their order.
    package func elements() -> [JSONValue]? {
        guard case .nested(let text) = self, text.utf8.first == UInt8(ascii: "[") else {
            return nil
        }
        let bytes = Array(text.utf8)
        return JSONScanner.with(bytes) { scanner in
            guard let places = try? scanner.scanWholeArray() else {
                return nil
            }
            let source = JSONSource(bytes: bytes, decoded: scanner.decoded)
            return places.map(source.value)
        }
    }
}
