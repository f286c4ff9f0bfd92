extension String {
    /// Whether the value is the media type of JSON, with any parameters.
    package var isJSONMediaType: Bool {
        Array(utf8).withUnsafeBytes { $0.isJSONMediaType }
    }
}
