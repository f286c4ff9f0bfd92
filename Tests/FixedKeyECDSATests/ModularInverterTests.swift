import FixedKeyECDSA
import Testing

@Suite("A modular inverter")
struct ModularInverterTests {
    @Test("Inverts as OpenSSL does, modulo the order and the prime of each curve", arguments: ECDSACurve.allCases)
    func inverses(curve: ECDSACurve) throws {
        let group = OpenSSLGroup(curve)
        var generator = SeededGenerator(seed: 31)
        for prime in [group.order, group.prime] {
            let inverter = ModularInverter(modulo: prime.bytes().span)
            let edges = [Number(1), Number(2), prime - Number(1), prime - Number(2)]
            let powers = (1..<8 * curve.size - 1).map(Number.powerOfTwo)
            let random = (0..<500).map { _ in
                Number(bytes: (0..<curve.size).map { _ in .random(in: 0...255, using: &generator) }) % prime
            }
            for number in edges + powers + random where !number.isZero {
                #expect(
                    inverter.inverse(ofBlinded: number.bytes(curve.size).span)
                        == number.inverse(modulo: prime).bytes(curve.size))
            }
        }
    }

    @Test("Leading zeros may be left out, and written")
    func leadingZeros() {
        let inverter = ModularInverter(modulo: OpenSSLGroup(.p192).order.bytes(32).span)
        #expect(inverter.inverse(ofBlinded: [1].span) == Number(1).bytes(32))
        #expect(inverter.inverse(ofBlinded: Number(1).bytes(32).span) == Number(1).bytes(32))
    }

    @Test("Zero and what is not below the modulus have no inverse", arguments: ECDSACurve.allCases)
    func none(curve: ECDSACurve) {
        let order = OpenSSLGroup(curve).order
        let inverter = ModularInverter(modulo: order.bytes().span)
        for number in [Number(0), order, order + Number(1)] {
            #expect(inverter.inverse(ofBlinded: number.bytes(curve.size).span) == nil)
        }
    }
}
