package import Attribution

/// What copying signed ads and spend changes in the target.
package struct AdCostCopy: Sendable {
    /// What is added to the sums of signed ads.
    package let growth: [AdCostTable.Row: Int64]
    /// The lines that are counted afterwards.
    package let counted: SequenceChange
    /// Those of them that came from this source.
    package let copied: SequenceChange
    /// Amounts that are new in the source since they were copied; others may have been replaced in the target.
    package let spend: [Spend]

    /// Finds out what has changed.
    ///
    /// - Parameters:
    ///   - table: What the source has.
    ///   - earlier: What was copied from it before.
    ///   - counted: The lines that the target has counted, of the writers in both.
    ///   - path: The target's name.
    /// - Throws: ``LedgerCopyError/countedInBoth(path:ads:writer:)`` when lines would count twice: sums do not say which
    ///   of their lines they have.
    package init(
        _ table: AdCostTable, since earlier: AdCostTable, counted: [Nonce: SequenceRanges], into path: String
    ) throws(LedgerCopyError) {
        for (writer, ranges) in table.sequences {
            let others = counted[writer, default: .init()].subtracting(earlier.sequences[writer, default: .init()])
            guard !others.overlaps(ranges) else {
                throw .countedInBoth(path: path, ads: table.ads, writer: writer)
            }
        }
        func union(_ left: [Nonce: SequenceRanges]) -> [Nonce: SequenceRanges] {
            left.merging(table.sequences) { SequenceRanges($0.ranges + $1.ranges) }
        }
        growth = table.signed.reduce(into: [:]) { growth, entry in
            // Sums never shrink.
            let count = entry.value - earlier.signed[entry.key, default: 0]
            if count > 0 {
                growth[entry.key] = count
            }
        }
        self.counted = SequenceChange(from: counted, to: union(counted))
        copied = SequenceChange(from: earlier.sequences, to: union(earlier.sequences))
        let amounts = Dictionary(earlier.spend.map { ($0.key, $0.amount) }) { $1 }
        spend = table.spend.filter { amounts[$0.key] != $0.amount }
    }
}
