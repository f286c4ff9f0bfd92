/// Why the precomputed tables are not used, so that OpenSSL alone verifies.
package enum KeyTablesError: Error, Hashable, Sendable {
    /// The key's file holds its point in another form than the uncompressed one.
    case noPoint(key: String)
    /// OpenSSL made no signatures to compare with.
    case noSamples(key: String)
    /// The tables and OpenSSL judged a signature differently: memory, processor or program is broken.
    case disagreement(key: String)
}

extension KeyTablesError: CustomStringConvertible {
    /// What is wrong.
    package var description: String {
        switch self {
        case .noPoint(let key): "\(key) is not stored as an uncompressed point"
        case .noSamples(let key): "OpenSSL made no sample signatures for \(key)"
        case .disagreement(let key): "the precomputed tables of \(key) and OpenSSL judge a signature differently"
        }
    }
}
