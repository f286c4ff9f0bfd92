import Attribution
import Crypto

/// What decides, without reading any stored body, whether two deliveries are one postback and whether they say the same.
struct PostbackDigests: Hashable, Sendable {
    /// Of the dedupe key: framework, network, transaction id, sequence index, whose key verified it.
    let key: Digest16
    /// Of everything the postback says but its signature, in canonical form.
    let content: Digest16

    /// How they are made; raised when that changes.
    static let version: Int64 = 1

    /// Makes both digests.
    init(_ postback: ReceivedPostback, provenance: Provenance) {
        key = Self.key(of: postback, provenance: provenance)
        content = Digest16(version: Self.version, hashing: postback.statements)
    }

    /// Makes the digest of the dedupe key.
    static func key(of postback: ReceivedPostback, provenance: Provenance) -> Digest16 {
        let key = postback.key
        var bytes: [UInt8] = []
        bytes.reserveCapacity(160)
        for part in [
            key.framework.rawValue, provenance.rawValue, key.adNetworkID.text, key.transactionID.text,
            key.sequenceIndex.map { String($0) } ?? "",
        ] {
            withUnsafeBytes(of: UInt16(truncatingIfNeeded: part.utf8.count).littleEndian) {
                bytes.append(contentsOf: $0)
            }
            bytes.append(contentsOf: part.utf8)
        }
        return Digest16(version: Self.version, hashing: bytes)
    }
}

/// The first 16 bytes of a SHA-256.
struct Digest16: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// Hashes a byte that says how the bytes were made, and the bytes.
    init(version: Int64, hashing bytes: [UInt8]) {
        var hash = SHA256()
        withUnsafeBytes(of: UInt8(version)) { hash.update(bufferPointer: $0) }
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        self = hash.finalize().withUnsafeBytes { Digest16(first: $0) }
    }

    /// Reads stored bytes; nil for another length than 16.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else {
            return nil
        }
        self.init(first: bytes)
    }

    private init(first bytes: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// The 16 bytes.
    var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), Array.init)
    }
}
