import CP256Lanes
import FixedKeyECDSA
import Testing

/// Carries that random numbers hardly ever cause: coordinates of extreme words, which need not be on the curve, since the
/// formula of the addition does not care, compared with OpenSSL's numbers.
@Suite("Eight sums at once", .enabled(if: FixedKeyVerifier.hasLanes, "this machine has no AVX-512 IFMA"))
struct LaneArithmeticTests {
    private static let words: [UInt64] = [
        0, 1, 2, 0xf, 0xffff_ffff, 0x1_0000_0000, 1 << 52, 1 << 52 - 1, 1 << 63, 0xffff_ffff_0000_0000,
        0xffff_ffff_0000_0001, .max - 1, .max,
    ]
    private let prime: Number
    private let inverseRadix: Number

    init() {
        prime = OpenSSLGroup(.p256).prime
        inverseRadix = Number.powerOfTwo(256).inverse(modulo: prime)
    }

    /// A point as its two residues, x·2²⁵⁶ and y·2²⁵⁶.
    private struct Point {
        var x: Number
        var y: Number
    }

    private func product(_ a: Number, _ b: Number) -> Number {
        a * b % prime * inverseRadix % prime
    }

    private func difference(_ a: Number, _ b: Number) -> Number {
        (prime + a - b) % prime
    }

    private func sum(_ a: Point, _ b: Point) -> Point {
        let radix = Number.powerOfTwo(256)
        let inverse = product(difference(b.x, a.x), Number(1)).inverse(modulo: prime) * radix % prime
        let slope = product(difference(b.y, a.y), inverse)
        let x = difference(difference(product(slope, slope), a.x), b.x)
        return Point(x: x, y: difference(product(slope, difference(a.x, x)), a.y))
    }

    private func residue(_ generator: inout SeededGenerator) -> Number {
        while true {
            let words = (0..<4).map { _ in Self.words.randomElement(using: &generator) ?? 0 }
            let value = words.reduce(Number(0)) { $0 * .powerOfTwo(64) + Number($1) } % .powerOfTwo(256)
            // Half of them close to the prime.
            let second = Bool.random(using: &generator) ? Number(words[1]) : Number(0)
            let low = Number(words[0]) + second * .powerOfTwo(64)
            let choice = Bool.random(using: &generator) ? value : prime - Number(1) - low
            if choice < prime { return choice }
        }
    }

    /// The number in one coordinate of a lane.
    private func number(_ points: UnsafePointer<p256_lanes_points>, coordinate: Int, lane: Int) -> Number {
        let words = UnsafeRawPointer(points)
        return (0..<4).reversed().reduce(Number(0)) {
            $0 * .powerOfTwo(64)
                + Number(words.load(fromByteOffset: ((4 * coordinate + $1) * 8 + lane) * 8, as: UInt64.self))
        }
    }

    @Test("On extreme words of both signs, over several blocks", arguments: [1, 2, 5])
    func extremeWords(rows: Int) throws {
        let (blocks, slots) = (3, 64)
        var generator = SeededGenerator(seed: 31)
        let table = UnsafeMutableRawPointer.allocate(byteCount: 64 * slots, alignment: 64)
        let sums = UnsafeMutablePointer<p256_lanes_points>.allocate(capacity: blocks)
        defer {
            table.deallocate()
            sums.deallocate()
        }
        var (compared, undefined) = (0, 0)
        for _ in 0..<100 {
            let points = (0..<slots).map { _ in Point(x: residue(&generator), y: residue(&generator)) }
            for (slot, point) in points.enumerated() {
                for (offset, value) in [(0, point.x), (32, point.y)] {
                    for (index, byte) in value.bytes(32).reversed().enumerated() {
                        table.storeBytes(of: byte, toByteOffset: 64 * slot + offset + index, as: UInt8.self)
                    }
                }
            }
            let codes = (0..<8 * rows * blocks).map { _ in Int64.random(in: 0..<Int64(2 * slots), using: &generator) }
            p256_lanes_add_up(table, codes, rows, blocks, sums)
            for block in 0..<blocks {
                for lane in 0..<8 {
                    let summands = (0..<rows).map { row in
                        let code = Int(codes[8 * (block * rows + row) + lane])
                        let point = points[code / 2]
                        return code % 2 == 0 ? point : Point(x: point.x, y: difference(Number(0), point.y))
                    }
                    let coordinates = (0..<4).map { number(sums + block, coordinate: $0, lane: lane) }
                    #expect(coordinates.allSatisfy { $0 < prime })
                    let (zz, zzz) = (coordinates[2], coordinates[3])
                    guard let expected = try sum(summands) else {
                        #expect(zz.isZero)
                        undefined += 1
                        continue
                    }
                    #expect(product(expected.x, zz).bytes() == coordinates[0].bytes())
                    #expect(product(expected.y, zzz).bytes() == coordinates[1].bytes())
                    #expect(product(product(zz, zz), zz).bytes() == product(zzz, zzz).bytes())
                    #expect(!zz.isZero)
                    compared += 1
                }
            }
        }
        // Guards against a run in which nothing is compared, or no x is the same.
        #expect(compared > 1_000 && (undefined > 0) == (rows > 1))
    }

    /// The sum of some points; nil if one has the x of the sum of those before it.
    private func sum(_ points: [Point]) throws -> Point? {
        var result = try #require(points.first)
        for point in points.dropFirst() {
            if difference(result.x, point.x).isZero { return nil }
            result = sum(result, point)
        }
        return result
    }
}
