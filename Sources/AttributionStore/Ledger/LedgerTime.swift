import Attribution

extension Int64 {
    /// The quarter of an hour that a moment in Unix milliseconds falls into.
    package var quarterOfAnHour: Int64 {
        dividedRoundingDown(by: LedgerTime.quarterMilliseconds)
    }
}

/// The unit in which a store counts by time.
package enum LedgerTime {
    package static let quarterMilliseconds: Int64 = 900_000
}

extension LedgerQuestion {
    /// The quarter hours of ``received``; nil for all.
    package var quarters: Range<Int64>? {
        received?.quarters
    }
}

extension Range<Int64> {
    /// The quarters of an hour that a range of Unix milliseconds touches.
    package var quarters: Range<Int64> {
        // To the quarter that begins at or after the end.
        let end = -((-upperBound).dividedRoundingDown(by: LedgerTime.quarterMilliseconds))
        let start = lowerBound.quarterOfAnHour
        return start..<Swift.max(start, end)
    }
}
