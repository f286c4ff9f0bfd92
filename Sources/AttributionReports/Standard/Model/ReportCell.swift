package import Attribution

/// A value in a section of a report.
package enum ReportCell: Hashable, Sendable {
    /// The value of a dimension; empty for postbacks that have none.
    case key(String)
    /// Words, such as a reason.
    case text(String)
    /// A number of postbacks, installs or deliveries.
    case count(Int64)
    /// A share of a whole that is not 0.
    case share(Int64, of: Int64)
    /// The mean of some values, from their sum and their number, which is not 0.
    case mean(Int64, of: Int64)
    /// A number with a fixed count of decimal places.
    case decimal(Double, places: Int)
    /// An amount of money in the currency that the row names.
    case money(Money)
    /// Bounds of a number.
    case counts(ClosedRange<Int64>)
    /// Bounds of a share of a whole that is not 0.
    case shares(ClosedRange<Int64>, of: Int64)
    /// A moment, in Unix milliseconds.
    case time(Int64)
    /// No value: a rate whose denominator is 0, or a figure of days before anything was recorded.
    case absent

    /// A share; absent if there is nothing to have a share of.
    package static func rate(_ part: Int64, of whole: Int64) -> ReportCell {
        whole == 0 ? .absent : .share(part, of: whole)
    }

    /// Bounds of a share; absent if there is nothing to have a share of.
    package static func rates(_ parts: ClosedRange<Int64>, of whole: Int64) -> ReportCell {
        whole == 0 ? .absent : .shares(parts, of: whole)
    }

    /// A mean; absent if there is nothing to take the mean of.
    package static func average(_ sum: Int64, of count: Int64) -> ReportCell {
        count == 0 ? .absent : .mean(sum, of: count)
    }
}
