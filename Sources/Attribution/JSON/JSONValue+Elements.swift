extension JSONValue {
    /// The elements of an array, which stands here as its text; nil for any other value.
    ///
    /// - Returns: The elements in their order.
    func elements() -> [JSONValue]? {
        guard case .nested(let text) = self, text.hasPrefix("[") else {
            return nil
        }
        return Array(text.utf8).withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            return try? scanner.scanWholeArray()
        }
    }
}
