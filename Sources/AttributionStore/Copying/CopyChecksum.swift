import Attribution
import Hashing

/// A sum over postbacks that does not depend on their order: of the bytes, and of everything beside them that a store
/// keeps and could not make again.
package struct CopyChecksum: Hashable, Sendable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    /// Of no postback.
    package init() {}

    /// Reads stored bytes; nil for another length than 16.
    package init?(_ bytes: [UInt8]) {
        guard let digest = bytes.withUnsafeBytes({ Digest16($0) }) else {
            return nil
        }
        (high, low) = (digest.high, digest.low)
    }

    /// The 16 bytes.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), Array.init)
    }

    /// Adds a postback.
    package mutating func add(_ postback: RecordedPostback) {
        var hash = SHA256()
        let beside =
            "\(postback.receivedAtMilliseconds) \(postback.recordedAtMilliseconds) \(postback.recipient.rawValue) "
            + "\(postback.traffic.rawValue) \(postback.keyName)\n"
        hash.update(Array(beside.utf8))
        hash.update(postback.body ?? [])
        let words = hash.finish().words
        high &+= words[0]
        low &+= words[1]
    }
}
