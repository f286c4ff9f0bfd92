import Foundation

/// A random number generator that is determined by its seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator; equal seeds give equal numbers.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True with a probability of `share`, 0…1.
    mutating func chance(_ share: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < share
    }

    /// A random index, each as likely as its weight; 0 for a single one.
    mutating func index(ofWeights weights: some Collection<Double>) -> Int {
        guard weights.count > 1 else {
            return 0
        }
        var remaining = Double.random(in: 0..<1, using: &self) * weights.reduce(0, +)
        for (index, weight) in weights.enumerated() {
            remaining -= weight
            if remaining < 0 {
                return index
            }
        }
        return weights.count - 1
    }

    /// A random choice, each as likely as its weight.
    mutating func pick<Choice>(_ choices: [Weighted<Choice>]) -> Choice? {
        choices.isEmpty ? nil : choices[index(ofWeights: choices.lazy.map(\.weight))].choice
    }

    /// A random whole number with this mean, distributed like rare events.
    mutating func count(mean: Double) -> Int {
        guard mean < 30 else {
            // The sum of twelve is close to a normal distribution of variance 1.
            let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
            return max(0, Int((mean + mean.squareRoot() * normal).rounded()))
        }
        var product = Double.random(in: 0..<1, using: &self)
        var count = 0
        let limit = exp(-mean)
        while product > limit {
            product *= Double.random(in: 0..<1, using: &self)
            count += 1
        }
        return count
    }

    /// A random delay; shorter ones are likelier.
    mutating func delay(mean: Int64) -> Int64 {
        Int64(-log(Double.random(in: .leastNonzeroMagnitude..<1, using: &self)) * Double(mean))
    }
}
