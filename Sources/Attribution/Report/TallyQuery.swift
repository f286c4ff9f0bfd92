/// Which recorded postbacks to count, and by what to break them down.
public struct TallyQuery: Hashable, Sendable {
    /// A value a dimension must have.
    public struct Filter: Hashable, Sendable {
        /// The dimension; not the day, which ``TallyQuery/received`` bounds.
        public let dimension: ReportDimension
        /// Its value; empty for postbacks that carry none.
        public let value: String

        /// Makes a filter.
        public init(dimension: ReportDimension, value: String) {
            self.dimension = dimension
            self.value = value
        }
    }

    /// The dimensions of the rows, in order; the day is none of them, and empty gives one sum.
    public var dimensions: [ReportDimension]
    /// What every counted postback must have.
    public var filters: [Filter]
    /// When they were received, in Unix milliseconds; nil for ever.
    public var received: Range<Int64>?
    /// Which numbers are asked for.
    public var traffic: Traffic

    /// Makes a query.
    public init(
        dimensions: [ReportDimension],
        filters: [Filter] = [],
        received: Range<Int64>? = nil,
        traffic: Traffic = .apple
    ) {
        self.dimensions = dimensions
        self.filters = filters
        self.received = received
        self.traffic = traffic
    }
}
