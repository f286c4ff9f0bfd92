extension NetworkKeySet {
    /// The active keys that external signers sign with, each once.
    package var externalKeys: Set<ExternalKey> {
        Set(entries.compactMap { if case .active(.external(let key)) = $0.use { key } else { nil } })
    }
}
