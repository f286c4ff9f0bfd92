/// The counts for one combination of dimension values.
public struct TallyRow: Hashable, Sendable {
    /// The values in the order of the query's dimensions; empty where the postbacks carry none.
    public let values: [String]
    /// The counts.
    public let metrics: Metrics

    /// Makes a row.
    public init(values: [String], metrics: Metrics) {
        self.values = values
        self.metrics = metrics
    }
}
