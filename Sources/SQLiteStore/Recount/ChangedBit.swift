import Attribution
import AttributionStore

/// A single bit of a body that damage changed, found by the digests of its row.
enum ChangedBit {
    /// How many bits are tried in one recount, at most: each takes as long as reading a body.
    static let most = 1 << 19

    /// Finds the bit: the only one without which the body has both digests and verifies.
    ///
    /// - Parameters:
    ///   - body: The changed bytes.
    ///   - digests: Those of the row.
    ///   - provenance: What the row says.
    ///   - judge: Parses and verifies bodies.
    /// - Returns: The index of the bit; nil if there is none, or more than one.
    static func find(
        in body: [UInt8], _ digests: PostbackDigests, _ provenance: Provenance, judge: ([[UInt8]]) -> [Judgement]
    ) -> Int? {
        var found: Int?
        for bit in 0..<(body.count * 8) {
            let changed = flipped(bit, of: body)
            guard let postback = try? ReceivedPostback(reading: changed),
                PostbackDigests(postback, provenance: provenance) == digests
            else {
                continue
            }
            guard found == nil, judge([changed]).contains(where: { $0.isVerified(as: provenance) }) else {
                return nil
            }
            found = bit
        }
        return found
    }

    /// A body with one bit changed.
    static func flipped(_ bit: Int, of body: [UInt8]) -> [UInt8] {
        var body = body
        if body.indices.contains(bit / 8) {
            body[bit / 8] ^= 1 << (bit % 8)
        }
        return body
    }
}

extension Digest16 {
    /// Whether so few bits differ that one of the two must be the other, with bits that damage changed.
    func isNear(_ other: Digest16) -> Bool {
        (high ^ other.high).nonzeroBitCount + (low ^ other.low).nonzeroBitCount <= 2
    }
}
