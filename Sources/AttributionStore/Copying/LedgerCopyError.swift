package import Attribution
package import CodedErrors

/// Why a store is not copied although both can be reached.
package enum LedgerCopyError: Error, Hashable, Sendable {
    /// The target had postbacks or counts before the first copy.
    case notEmpty(path: String)
    /// Another copy of the same source into the same target runs.
    case overtaken(path: String)
    /// The target does not have what was copied.
    case different(path: String, expected: Int64, found: Int64)
    /// Both are one store, whatever they are called, or one is a backup of the other.
    case same(path: String)
    /// Both counted the same lines of signed impressions, which would count twice.
    case countedInBoth(path: String, ads: AdTraffic, writer: Nonce)
    /// What the target keeps of signed impressions and spend is damaged.
    case damagedCosts(path: String, ads: AdTraffic)
    /// Some sums of signed impressions in the target are damaged.
    case damagedSums(path: String, ads: AdTraffic, sums: Set<AdCostTable.Row>)
}

extension LedgerCopyError: CustomStringConvertible {
    /// What is wrong.
    package var description: String {
        switch self {
        case .notEmpty(let path):
            "\(path) has recorded deliveries before the first copy"
        case .overtaken(let path):
            "another copy into \(path) runs"
        case .different(let path, let expected, let found):
            expected == found
                ? "some of the \(expected) postbacks copied to \(path) are not there as they were copied"
                : "\(expected) postbacks were copied to \(path), and \(found) of them can be read there"
        case .same(let path):
            "\(path) is the store to copy, or a backup of it, and cannot be copied into itself"
        case .countedInBoth(let path, let ads, let writer):
            "lines of signed impressions by the writer \(writer.text) were counted in \(path) itself and in the source; "
                + "signed impressions and spend of \(ads.name) were not copied"
        case .damagedCosts(let path, let ads):
            "what \(path) notes of signed impressions and spend of \(ads.name) is damaged; none of them were copied"
        case .damagedSums(let path, let ads, let sums):
            "what \(path) has counted of signed impressions of \(ads.name) is damaged, "
                + "and nothing was added to it, for: \(sums.text)"
        }
    }
}

extension LedgerCopyError: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .notEmpty: .fileExists
        case .overtaken: .storeInUse
        case .different: .incompleteCopy
        case .same: .badField
        case .countedInBoth, .damagedCosts, .damagedSums: .incompleteCopy
        }
    }

    /// What to do about it.
    package var hint: String? {
        switch self {
        case .notEmpty: "copy into a new file or an empty database; servers may record into it once a copy has begun"
        case .overtaken: "let one copy end; what it did is kept"
        case .different:
            "skan recount names what is damaged; rows that a repair changed differ, too; copy into another store"
        case .same: nil
        case .countedInBoth:
            "copy into a new store, and import files of signed impressions into only one of the two stores"
        case .damagedCosts, .damagedSums: "copy into a new store"
        }
    }
}
