package import Attribution
import Platform

/// What decides, without reading any stored body, whether two deliveries are one postback and whether they say the
/// same.
package struct PostbackDigests: Hashable, Sendable {
    /// Of the dedupe key: framework, network, transaction id, sequence index, whose key verified it.
    package let key: Digest16
    /// Of everything the postback says but its signature, in canonical form.
    package let content: Digest16

    /// How they are made; raised when that changes.
    package static let version: Int64 = 1

    package init(_ postback: ReceivedPostback, provenance: Provenance) {
        var digester = PostbackDigester()
        self = digester.digests(of: postback, provenance: provenance)
    }

    /// Takes both digests as they are stored.
    package init(key: Digest16, content: Digest16) {
        self.key = key
        self.content = content
    }

    /// Computes the digest of the dedupe key.
    package static func key(of postback: ReceivedPostback, provenance: Provenance) -> Digest16 {
        var digester = PostbackDigester()
        return digester.key(of: postback, provenance: provenance)
    }
}

/// Makes the digests of one postback after the other, in the same memory.
package struct PostbackDigester: ~Copyable {
    private var hash = SHA256()
    private var bytes: [UInt8] = []

    package init() {}

    /// Makes both digests of a postback.
    package mutating func digests(of postback: ReceivedPostback, provenance: Provenance) -> PostbackDigests {
        let key = key(of: postback, provenance: provenance)
        begin()
        postback.appendStatements(to: &bytes)
        return PostbackDigests(key: key, content: digest())
    }

    /// Computes the digest of the dedupe key.
    package mutating func key(of postback: ReceivedPostback, provenance: Provenance) -> Digest16 {
        let key = postback.key
        begin()
        add(key.framework.rawValue)
        add(provenance.rawValue)
        add(key.adNetworkID.text)
        add(key.transactionID.text)
        add(key.sequenceIndex.map { String($0) } ?? "")
        return digest()
    }

    /// Computes the digest of what is signed of a postback that is not understood, and of whose key verified it.
    mutating func digest(ofSigned verified: VerifiedUnknownPostback) -> Digest16 {
        begin()
        add(verified.provenance.rawValue)
        bytes.append(contentsOf: verified.postback.signedBytes)
        return digest()
    }

    mutating func digest(of parts: [String]) -> Digest16 {
        begin()
        for part in parts {
            add(part)
        }
        return digest()
    }

    /// Begins a digest with the version byte.
    private mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(UInt8(PostbackDigests.version))
    }

    private mutating func add(_ part: String) {
        withUnsafeBytes(of: UInt16(truncatingIfNeeded: part.utf8.count).littleEndian) {
            bytes.append(contentsOf: $0)
        }
        bytes.append(contentsOf: part.utf8)
    }

    private mutating func digest() -> Digest16 {
        hash.update(bytes)
        return Digest16(hash.finish())
    }
}

/// The first 16 bytes of a SHA-256.
package struct Digest16: Hashable, Sendable {
    /// The first half of the bytes, and the second, as numbers with the first byte in front.
    package let high: UInt64
    package let low: UInt64

    fileprivate init(_ digest: SHA256Digest) {
        high = digest.words[0]
        low = digest.words[1]
    }

    /// Reads stored bytes; nil for another length than 16.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else {
            return nil
        }
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Some of its bits, by which a ``LedgerPosition`` knows its postback again.
    package var positionCheck: UInt16 {
        UInt16(truncatingIfNeeded: low)
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), Array.init)
    }
}
