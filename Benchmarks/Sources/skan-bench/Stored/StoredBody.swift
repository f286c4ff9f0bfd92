import COpenSSL

/// The bytes of stored postbacks, in buffers used again for each of them.
///
/// Their fields are those of the columns; the signatures are made up, for a million real ones take half a minute.
struct StoredBody {
    /// The JSON object.
    private(set) var bytes: [UInt8] = []
    /// The transaction id.
    private(set) var id: [UInt8] = []
    private var key: [UInt8] = []

    private static let signature = """
        MEUCIQDDetUtkyc/MiQvVJ5I6HIO1E7l598572Wljot2Onzd4wIgVJLzVcyAV+TXksGNoa0DTMXEPgNPeHCmD4fw1ABXX0g=
        """
    private static let digits = Array("0123456789abcdef".utf8)

    init() {
        bytes.reserveCapacity(1_024)
        id.reserveCapacity(36)
        key.reserveCapacity(256)
    }

    /// Spells a postback.
    mutating func write(_ postback: StoredPostback) {
        let traits = postback.traits
        writeID(postback.transaction)
        bytes.removeAll(keepingCapacity: true)
        append("{\n  \"version\" : \"", traits.version.rawValue)
        append("\",\n  \"ad-network-id\" : \"", PostbackShape.network)
        if let identifier = postback.sourceIdentifier {
            append("\",\n  \"source-identifier\" : \"", "\(identifier)", "\"")
        } else if let id = postback.campaignID {
            append("\",\n  \"campaign-id\" : ", "\(id)")
        }
        append(",\n  \"transaction-id\" : \"")
        bytes += id
        append("\",\n  \"app-id\" : ", "\(PostbackShape.firstApp + postback.app)")
        append(",\n  \"attribution-signature\" : \"", Self.signature)
        append("\",\n  \"redownload\" : ", traits.isRedownload ? "true" : "false")
        append(",\n  \"fidelity-type\" : 1")
        if traits.version != .v2 {
            append(",\n  \"did-win\" : ", traits.isWinner ? "true" : "false")
        }
        if let sourceApp = postback.sourceApp {
            append(",\n  \"source-app-id\" : ", "\(PostbackShape.firstSourceApp + sourceApp)")
        }
        if let index = traits.sequenceIndex {
            append(",\n  \"postback-sequence-index\" : ", "\(index)")
        }
        if let conversion = traits.conversion {
            if traits.isCoarse {
                append(",\n  \"coarse-conversion-value\" : \"", conversion, "\"")
            } else {
                append(",\n  \"conversion-value\" : ", conversion)
            }
        }
        append("\n}\n")
    }

    private mutating func append(_ parts: String...) {
        for part in parts {
            bytes.append(contentsOf: part.utf8)
        }
    }

    /// Spells the transaction id as a UUID.
    private mutating func writeID(_ bits: (UInt64, UInt64)) {
        id.removeAll(keepingCapacity: true)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                id.append(0x2D)
            }
            let half = index < 16 ? bits.0 : bits.1
            id.append(Self.digits[Int(half >> UInt64(60 - index % 16 * 4) & 15)])
        }
    }

    /// The digest of what makes the postback written last one and the same: 32 bytes, of which the store keeps 16.
    mutating func keyDigest(_ postback: StoredPostback) -> [UInt8] {
        key.removeAll(keepingCapacity: true)
        key.append(1)
        appendToKey("skadnetwork".utf8)
        appendToKey("test".utf8)
        appendToKey(PostbackShape.network.utf8)
        appendToKey(id)
        appendToKey((postback.traits.sequenceIndex.map { "\($0)" } ?? "").utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(key, key.count, &digest)
        return digest
    }

    private mutating func appendToKey(_ part: some Collection<UInt8>) {
        key.append(UInt8(part.count))
        key.append(0)
        key.append(contentsOf: part)
    }
}
