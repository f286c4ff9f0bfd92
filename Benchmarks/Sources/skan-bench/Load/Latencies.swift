/// Answer times of one phase, in milliseconds.
struct Latencies {
    let p50: Double
    let p99: Double
    let maximum: Double

    init(nanoseconds: [Int64]) {
        let sorted = nanoseconds.sorted()
        func quantile(_ share: Double) -> Double {
            sorted.isEmpty ? 0 : Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1e6
        }
        p50 = quantile(0.5)
        p99 = quantile(0.99)
        maximum = quantile(1)
    }
}
