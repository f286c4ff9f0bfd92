/// What became of lines of signed impressions.
package struct SignedRecording: Hashable, Sendable {
    /// How many were added.
    package var new = 0
    /// How many were not, because the sums they belong to are damaged; they are not noted as counted.
    package var leftOut = 0
    /// These sums, which stay as they are.
    package var damaged: Set<AdCostTable.Row> = []

    /// No line was new.
    package init() {}
}
