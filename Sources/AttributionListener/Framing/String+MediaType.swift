extension String {
    /// Whether the whole value names the media type JSON is posted as, with any parameters.
    package var isJSONMediaType: Bool {
        Array(utf8).withUnsafeBytes { $0.isJSONMediaType }
    }
}
