/// Why precomputed tables are not used, so that only OpenSSL verifies.
package enum KeyTablesError: Error, Hashable, Sendable {
    /// The key's point is not stored uncompressed.
    case noPoint(key: String)
    /// OpenSSL made no sample signatures to compare.
    case noSamples(key: String)
    /// The tables and OpenSSL disagree on a signature, because of a hardware fault or a bug.
    case disagreement(key: String)
}

extension KeyTablesError: CustomStringConvertible {
    /// What is wrong.
    package var description: String {
        switch self {
        case .noPoint(let key): "\(key) is not stored as an uncompressed point"
        case .noSamples(let key): "OpenSSL made no sample signatures for \(key)"
        case .disagreement(let key): "the precomputed tables of \(key) and OpenSSL disagree on a signature"
        }
    }
}
