import Foundation

extension SeededGenerator {
    /// One of the choices, each as often as its weight says; the first when there is one alone.
    mutating func pick<Choice>(_ choices: [Weighted<Choice>]) -> Choice? {
        guard choices.count > 1 else {
            return choices.first?.choice
        }
        var rest = Double.random(in: 0..<1, using: &self) * choices.reduce(0) { $0 + $1.weight }
        for choice in choices {
            rest -= choice.weight
            if rest < 0 {
                return choice.choice
            }
        }
        return choices.last?.choice
    }

    /// A whole number whose mean is `mean`, spread as rare events are.
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

    /// A delay, shorter ones being likelier.
    mutating func delay(mean: Int64) -> Int64 {
        Int64(-log(Double.random(in: .leastNonzeroMagnitude..<1, using: &self)) * Double(mean))
    }

    /// How long a device waits before it sends a postback.
    mutating func delay(_ rules: AppleRules, afterWindow index: Int) -> Int64 {
        Int64.random(in: rules.delay(afterWindow: index), using: &self)
    }

    /// The index of one of the choices.
    mutating func index(of choices: [Weighted<String>]) -> Int {
        guard choices.count > 1 else {
            return 0
        }
        var rest = Double.random(in: 0..<1, using: &self) * choices.reduce(0) { $0 + $1.weight }
        for (index, choice) in choices.enumerated() {
            rest -= choice.weight
            if rest < 0 {
                return index
            }
        }
        return choices.count - 1
    }
}
