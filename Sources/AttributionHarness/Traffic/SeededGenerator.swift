/// A random number generator that is determined by its seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator; equal seeds give equal numbers.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
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

    /// A random choice by weight.
    mutating func pick<Choice>(_ choices: KeyValuePairs<Choice, Int>) -> Choice {
        var rest = Int.random(in: 0..<choices.reduce(0) { $0 + $1.value }, using: &self)
        for (choice, weight) in choices {
            if rest < weight {
                return choice
            }
            rest -= weight
        }
        return choices[choices.count - 1].key
    }

    /// A version 4 UUID in lower case.
    mutating func uuid() -> String {
        var digits = Array("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".utf8)
        for index in digits.indices {
            switch digits[index] {
            case UInt8(ascii: "x"): digits[index] = Array("0123456789abcdef".utf8).randomElement(using: &self) ?? 48
            case UInt8(ascii: "y"): digits[index] = Array("89ab".utf8).randomElement(using: &self) ?? 56
            default: break
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
