#if DEBUG
    // Release builds hide internals, so these run only in debug builds.
    @testable import FixedKeyECDSA
    import Testing

    /// Carries that random numbers cause once in 2³² or 2⁶⁴ times: operands of extreme words, compared with OpenSSL.
    @Suite("Arithmetic on extreme words")
    struct FieldTests {
        private static let words: [UInt64] = [
            0, 1, 2, 0xffff_ffff, 0x1_0000_0000, 1 << 63, 0xffff_ffff_0000_0000, 0xffff_ffff_0000_0001, .max - 1, .max,
        ]

        private func number(_ value: UInt256) -> Number {
            [value.w3, value.w2, value.w1, value.w0].reduce(Number(0)) { $0 * .powerOfTwo(64) + Number($1) }
        }

        private func operand(below modulus: UInt256, _ generator: inout SeededGenerator) -> UInt256 {
            while true {
                var words = (0..<4).map { _ in Self.words.randomElement(using: &generator) ?? 0 }
                if modulus.w3 == 0 { words[3] = 0 }
                let value = UInt256(words[0], words[1], words[2], words[3])
                // Half of them close to the modulus.
                let close = modulus &- UInt256(words[0], Bool.random(using: &generator) ? words[1] : 0, 0, 0)
                let choice = Bool.random(using: &generator) ? value : close
                if choice < modulus { return choice }
            }
        }

        private func check<Field: PrimeField>(_: Field.Type) {
            var generator = SeededGenerator(seed: 23)
            let p = number(Field.prime)
            // The residues themselves must be extreme too: the number with the residue x is x·R⁻¹.
            let radix = Field.self == P256Field.self ? Number.powerOfTwo(256) : Number(1)
            let inverseRadix = radix.inverse(modulo: p)
            for round in 0..<3_000 {
                let operands = (0..<2).map { _ in
                    let bytes = (number(operand(below: Field.prime, &generator)) * inverseRadix % p).bytes(32)
                    return UInt256(bigEndian: bytes.span)
                }
                let (a, b) = (Field(operands[0]), Field(operands[1]))
                let (x, y) = (number(operands[0]), number(operands[1]))
                #expect(number(a.number).bytes() == x.bytes())
                #expect(number((a * b).number).bytes() == (x * y % p).bytes())
                #expect(number(a.squared.number).bytes() == (x * x % p).bytes())
                #expect(number((a + b).number).bytes() == ((x + y) % p).bytes())
                #expect(number((a - b).number).bytes() == ((p + x - y) % p).bytes())
                #expect(a.isZero == x.isZero && (a == b) == (x.bytes() == y.bytes()))
                if !a.isZero {
                    #expect(number(a.negated(.max).number).bytes() == (p - x).bytes())
                    #expect(a.negated(0) == a)
                    if round % 16 == 0 { #expect(a.inverse * a == .one) }
                }
            }
        }

        @Test("In the field of P-256")
        func p256() { check(P256Field.self) }

        @Test("In the field of P-192")
        func p192() { check(P192Field.self) }

        @Test("Modulo the orders", arguments: ECDSACurve.allCases)
        func orders(curve: ECDSACurve) {
            var generator = SeededGenerator(seed: 29)
            let modulus = curve == .p256 ? P256.order : P192.order
            let n = number(modulus.value)
            let inverseRadix = Number.powerOfTwo(256).inverse(modulo: n)
            for round in 0..<3_000 {
                let (a, b) = (
                    operand(below: modulus.value, &generator), operand(below: .init(.max, .max, .max, .max), &generator)
                )
                let product = number(a) * number(b) * inverseRadix % n
                #expect(number(modulus.product(a, b)).bytes() == product.bytes())
                #expect(number(modulus.product(b, a)).bytes() == product.bytes())
                if round % 16 == 0, !a.isZero {
                    #expect((number(modulus.inverse(of: a)) * number(a) % n).bytes() == [1])
                }
            }
            for exponent in 0..<8 * curve.size {
                let bytes = Number.powerOfTwo(exponent).bytes(32)
                let a = UInt256(bigEndian: bytes.span)
                if a < modulus.value {
                    #expect((number(modulus.inverse(of: a)) * number(a) % n).bytes() == [1])
                }
            }
        }
    }
#endif
