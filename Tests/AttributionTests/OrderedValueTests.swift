import Attribution
import Testing

@Suite("The order of a dimension's values")
struct OrderedValueTests {
    /// Values in order.
    static let values = [
        "", "-3", "0", "00", "1", "2", "007", "07", "7", "9", "10", "052", "52", "1000000000000", "9223372036854775807",
        "-", "2026-11-22", "52a", "9223372036854775808", "absent", "null", "true", "\u{00FC}",
    ]

    @Test("Absent comes first, then numbers by size, equal ones side by side, then texts", arguments: 0..<50)
    func order(_ seed: Int) {
        var generator = Generator(state: UInt64(seed))
        let shuffled = Self.values.shuffled(using: &generator)
        #expect(shuffled.map { OrderedValue($0) }.sorted().map(\.text) == Self.values)
    }

    @Test("Of two values, one is less or they are equal")
    func isTotal() {
        for (first, left) in Self.values.enumerated() {
            for (second, right) in Self.values.enumerated() {
                #expect((OrderedValue(left) < OrderedValue(right)) == (first < second), "\(left), \(right)")
                #expect((OrderedValue(left) == OrderedValue(right)) == (first == second), "\(left), \(right)")
            }
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }
}
