package import Attribution
import AttributionStore

/// How a standard report is made: what it asks the ledger, and how it turns the answers into sections.
///
/// Every plan gets the figures by day, from one pass over all days. A breakdown costs another pass, over the period and
/// the previous one together.
package struct StandardReportPlan: Sendable {
    /// One pass over the columns, for the period and the previous one.
    package struct Breakdown: Sendable {
        /// The dimensions of the rows.
        package let dimensions: [ReportDimension]
        /// Values that postbacks must have, besides the request's conditions.
        package let values: [(dimension: ReportDimension, values: Set<String>)]

        /// Moments at which the time of receipt is cut, in Unix milliseconds; nil for a breakdown without
        /// ``LedgerCalendar/segmentDimension``.
        package let cuts: [Int64]?

        /// Creates a breakdown.
        package init(
            _ dimensions: [ReportDimension],
            where values: [(dimension: ReportDimension, values: Set<String>)] = []
        ) {
            self.dimensions = dimensions
            self.values = values
            cuts = nil
        }

        /// Creates a breakdown whose first values are numbers of segments: 0 until the first cut, 1 from it on, and so
        /// forth.
        package init(_ dimensions: [ReportDimension], cuts: [Int64]) {
            self.dimensions = [LedgerCalendar.segmentDimension] + dimensions
            values = []
            self.cuts = cuts
        }
    }

    /// The names of the sections, in order.
    package let sectionNames: [String]
    /// The passes over the columns.
    package let breakdowns: [Breakdown]
    /// Whether it shows deliveries.
    package let hasDeliveries: Bool
    /// Whether it shows what is known of ads besides their postbacks.
    package let hasCosts: Bool
    /// Whether it counts postbacks at all.
    package let countsPostbacks: Bool
    /// Makes the sections.
    package let sections: @Sendable (StandardReportFigures) -> [ReportSection]

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - sectionNames: The names of the sections, in order.
    ///   - breakdowns: The passes over the columns; their answers are in ``StandardReportFigures/breakdowns``.
    ///   - hasDeliveries: Whether it shows deliveries.
    ///   - hasCosts: Whether it shows what is known of ads besides their postbacks.
    ///   - countsPostbacks: Whether it counts postbacks at all.
    ///   - sections: Makes the sections, one for each name; a section may be left out.
    package init(
        _ sectionNames: [String],
        _ breakdowns: [Breakdown] = [],
        hasDeliveries: Bool = false,
        hasCosts: Bool = false,
        countsPostbacks: Bool = true,
        sections: @escaping @Sendable (StandardReportFigures) -> [ReportSection]
    ) {
        self.sectionNames = sectionNames
        self.breakdowns = breakdowns
        self.hasDeliveries = hasDeliveries
        self.hasCosts = hasCosts
        self.countsPostbacks = countsPostbacks
        self.sections = sections
    }
}
