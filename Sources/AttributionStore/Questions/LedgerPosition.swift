/// A place in a ledger, up to which postbacks had been recorded at some time; counting up to it gives the same numbers
/// for ever.
///
/// Opaque: what it is made of is the store's business, and one of another store is refused.
public struct LedgerPosition: Hashable, Sendable {
    /// The store it belongs to.
    let store: String
    /// The last postback.
    let last: Int64

    init(store: String, last: Int64) {
        self.store = store
        self.last = last
    }
}

extension LedgerPosition: LosslessStringConvertible {
    /// The position as a word of lower-case letters, digits and hyphens.
    public var description: String {
        "\(store)-\(last)"
    }

    /// Reads what ``description`` writes; nil for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit), let last = Int64(parts[1]),
            last >= 0, String(last) == parts[1]
        else {
            return nil
        }
        self.init(store: String(parts[0]), last: last)
    }
}
