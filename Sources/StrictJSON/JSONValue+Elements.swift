extension JSONValue {
    /// The elements of an array, in order; nil for any other value.
    package func elements() -> [JSONValue]? {
        guard case .nested(let text) = self, text.utf8.first == UInt8(ascii: "[") else {
            return nil
        }
        let bytes = Array(text.utf8)
        return JSONScanner.with(bytes) { scanner in
            guard let values = try? scanner.scanWholeArray() else {
                return nil
            }
            let source = JSONSource(bytes: bytes, decoded: scanner.decoded)
            return values.map(source.value)
        }
    }
}
