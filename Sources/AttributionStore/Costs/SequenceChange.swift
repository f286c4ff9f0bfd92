package import Attribution

/// How the ranges of some writers changed.
package struct SequenceChange: Sendable {
    /// A range of numbers of one writer.
    package struct WriterRange: Hashable, Sendable {
        /// The writer.
        package let writer: Nonce
        /// The numbers.
        package let numbers: ClosedRange<Int64>
    }

    /// Ranges that are replaced by others.
    package let removed: [WriterRange]
    /// Ranges in their place.
    package let added: [WriterRange]

    /// Compares ranges.
    package init(from old: [Nonce: SequenceRanges], to new: [Nonce: SequenceRanges]) {
        func difference(_ left: [Nonce: SequenceRanges], _ right: [Nonce: SequenceRanges]) -> [WriterRange] {
            left.flatMap { writer, ranges in
                Set(ranges.ranges).subtracting(right[writer]?.ranges ?? [])
                    .map { WriterRange(writer: writer, numbers: $0) }
            }
        }
        removed = difference(old, new)
        added = difference(new, old)
    }
}
