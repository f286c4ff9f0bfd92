/// The vertical axis of a chart of counts: 0 at the bottom, and round numbers above it.
package struct ChartScale: Hashable, Sendable {
    /// The numbers that are labelled, the first 0 and the last at the top.
    package let ticks: [Int64]

    /// The most intervals between ticks.
    private static let intervals: Int64 = 4

    /// Makes the axis for counts up to a maximum; without any count, up to 1.
    package init(maximum: Int64) {
        let maximum = max(maximum, 1)
        var step: Int64 = 1
        var factor = [2, 5, 10] as [Int64]
        var unit: Int64 = 1
        // 1, 2, 5, 10, 20, 50 and so on.
        while step * Self.intervals < maximum {
            step = unit * factor.removeFirst()
            if factor.isEmpty {
                unit *= 10
                factor = [2, 5, 10]
            }
        }
        let count = (maximum + step - 1) / step
        ticks = (0...count).map { $0 * step }
    }

    /// How high a count is, from 0 at the bottom to 1 at the top.
    package func height(of count: Int64) -> Double {
        Double(count) / Double(ticks.last ?? 1)
    }
}
