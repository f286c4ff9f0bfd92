package import Attribution

extension PostbackRejection {
    /// Whether a recorded postback was rejected only because the key that verified it is not among the keys now.
    ///
    /// - Parameters:
    ///   - traffic: What it was recorded as.
    ///   - keyName: The key that verified it.
    /// - Returns: `false` when that key was tried, too: then the bytes are not those that were recorded.
    package func lacksKey(of traffic: Traffic, _ keyName: String) -> Bool {
        switch self {
        case .invalidSignature(let keys): traffic == .test && !keys.contains(keyName)
        case .unknownKey: traffic == .test
        case .notJSON, .malformed, .unknownVersion: false
        }
    }
}
