import CP256Lanes
import FixedKeyECDSA
import Testing

/// Carries that random numbers hardly ever cause: coordinates of extreme words, which need not be on the curve, since the
/// formula of the addition does not care, compared with OpenSSL's numbers.
@Suite("Eight additions at once", .enabled(if: FixedKeyVerifier.hasLanes, "this machine has no AVX-512 IFMA"))
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

    private func number(_ words: UnsafeMutablePointer<UInt64>, _ lane: Int) -> Number {
        (0..<4).reversed().reduce(Number(0)) { $0 * .powerOfTwo(64) + Number(words[8 * $1 + lane]) }
    }

    /// Adds `pairs` blocks of points on the right to as many on the left; checks the product of the differences and marks
    /// the lanes of pairs with the same x.
    private func add(
        _ left: inout [[Point]], _ right: [[Point]], _ points: UnsafeMutablePointer<p256_lanes_points>, kept: Int,
        marked: inout Set<Int>
    ) {
        let products = UnsafeMutablePointer<p256_lanes_residues>.allocate(capacity: right.count)
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: 32)
        let exceptions = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        defer {
            products.deallocate()
            words.deallocate()
            exceptions.deallocate()
        }
        exceptions.pointee = 0
        p256_lanes_multiply(points, points + kept, right.count, 1, products, words, exceptions)
        for lane in 0..<8 {
            var expected = Number.powerOfTwo(256) % prime
            for (a, b) in zip(left, right) {
                expected = product(expected, difference(b[lane].x, a[lane].x))
            }
            // Differences whose lowest bits are those of 0 are marked, too; of extreme words there are many.
            if exceptions.pointee >> UInt8(lane) & 1 == 1 { marked.insert(lane) }
            if !marked.contains(lane) {
                #expect(!expected.isZero)
                #expect(number(words, lane).bytes() == expected.bytes())
            }
            let inverse = (number(words, lane) * inverseRadix % prime).inverse(modulo: prime)
            let bytes = (inverse * .powerOfTwo(256) % prime).bytes(32)
            for word in 0..<4 {
                words[8 * word + lane] = bytes[(24 - 8 * word)..<(32 - 8 * word)].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        p256_lanes_add(points, points + kept, right.count, products, words)
        for (pair, block) in right.enumerated() {
            for lane in 0..<8 where !marked.contains(lane) {
                left[pair][lane] = sum(left[pair][lane], block[lane])
            }
            p256_lanes_x(points + pair, words)
            for lane in 0..<8 where !marked.contains(lane) {
                let x = left[pair][lane].x * inverseRadix % prime
                #expect(number(words, lane).bytes() == x.bytes())
            }
        }
    }

    @Test("On extreme words of both signs, over two levels of additions")
    func extremeWords() {
        var generator = SeededGenerator(seed: 31)
        let table = UnsafeMutableRawPointer.allocate(byteCount: 64 * 32, alignment: 64)
        let points = UnsafeMutablePointer<p256_lanes_points>.allocate(capacity: 4)
        defer {
            table.deallocate()
            points.deallocate()
        }
        var (compared, exceptions) = (0, 0)
        for _ in 0..<200 {
            var blocks: [[Point]] = []
            var codes: [Int64] = []
            for slot in (0..<32).reversed() {
                let (x, y) = (residue(&generator), residue(&generator))
                let isNegative = Bool.random(using: &generator)
                codes.append(Int64(slot) << 1 | (isNegative ? 1 : 0))
                for (offset, value) in [(0, x), (32, y)] {
                    for (index, byte) in value.bytes(32).reversed().enumerated() {
                        table.storeBytes(of: byte, toByteOffset: 64 * slot + offset + index, as: UInt8.self)
                    }
                }
                if codes.count % 8 == 1 { blocks.append([]) }
                blocks[blocks.count - 1].append(Point(x: x, y: isNegative ? difference(Number(0), y) : y))
            }
            p256_lanes_load(table, codes, 4, points)
            var marked: Set<Int> = []
            var left = Array(blocks[..<2])
            add(&left, Array(blocks[2...]), points, kept: 2, marked: &marked)
            var last = [left[0]]
            add(&last, [left[1]], points, kept: 1, marked: &marked)
            compared += 8 - marked.count
            exceptions += marked.count
        }
        // Guards against a run in which nothing is compared, or no x is the same.
        #expect(compared > 1_000 && exceptions > 0)
    }
}
