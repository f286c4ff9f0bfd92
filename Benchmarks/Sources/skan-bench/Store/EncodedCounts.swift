/// The counts of a row of tallies as the store keeps them: pairs of a byte that names the counter, and the count in
/// groups of seven bits, the lowest first.
struct EncodedCounts {
    private var counts: [UInt8: UInt64] = [:]

    /// None.
    init() {}

    /// Reads what SQLite's `hex` printed; nil for anything but whole pairs.
    init?(hex: some StringProtocol) {
        var digits = hex.utf8.makeIterator()
        func next() -> UInt8? {
            guard let high = digits.next(), let low = digits.next() else {
                return nil
            }
            return UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
        }
        while let counter = next() {
            var count: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                guard let byte = next(), shift < 64 else {
                    return nil
                }
                count |= UInt64(byte & 0x7f) << shift
                shift += 7
                if byte & 0x80 == 0 {
                    break
                }
            }
            counts[counter, default: 0] += count
        }
    }

    func multiplied(by factor: Int) -> EncodedCounts {
        var product = self
        product.counts = counts.mapValues { $0 * UInt64(factor) }
        return product
    }

    /// As an SQL literal has them between its quotes.
    var hex: String {
        var bytes: [UInt8] = []
        for (counter, count) in counts.sorted(by: { $0.key < $1.key }) {
            bytes.append(counter)
            var rest = count
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
