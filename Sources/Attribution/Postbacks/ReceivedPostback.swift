import StrictJSON

/// A postback of either framework, read strictly and not yet verified.
///
/// Indirect, because it is copied often and large.
package indirect enum ReceivedPostback: Hashable, Sendable {
    case skAdNetwork(SKAdNetworkPostback)
    case adAttributionKit(AdAttributionKitPostback)

    /// Reads a postback strictly from the body of a request.
    ///
    /// A body with `jws-string` is an AdAttributionKit postback, unless it also has SKAdNetwork's signature: then a
    /// forwarder may have added `jws-string`. One with neither is described by the fields of the framework it names.
    ///
    /// - Throws: Any ``PostbackRejection`` except ``PostbackRejection/unknownKey(_:)`` and
    ///   ``PostbackRejection/invalidSignature(keys:)``.
    package init(reading body: [UInt8]) throws(PostbackRejection) {
        let object = try JSONObject(postback: body)
        try self.init(object, PostbackFieldReader(object))
    }

    /// Reads the fields of a body that is one JSON object.
    init(_ object: JSONObject, _ fields: PostbackFieldReader) throws(PostbackRejection) {
        self =
            fields.isAdAttributionKit
            ? .adAttributionKit(try AdAttributionKitPostback(object, fields))
            : .skAdNetwork(try SKAdNetworkPostback(object, fields))
    }

    /// The body exactly as received.
    package var body: [UInt8] {
        switch self {
        case .skAdNetwork(let postback): postback.body
        case .adAttributionKit(let postback): postback.body
        }
    }

    package var framework: PostbackFramework {
        switch self {
        case .skAdNetwork: .skAdNetwork
        case .adAttributionKit: .adAttributionKit
        }
    }

    /// The identity of the postback.
    package var key: PostbackKey {
        switch self {
        case .skAdNetwork(let postback):
            PostbackKey(
                framework: .skAdNetwork, adNetworkID: postback.adNetworkID, transactionID: postback.transactionID,
                sequenceIndex: postback.sequenceIndex)
        case .adAttributionKit(let postback):
            PostbackKey(
                framework: .adAttributionKit, adNetworkID: postback.adNetworkID,
                transactionID: postback.postbackIdentifier, sequenceIndex: postback.sequenceIndex)
        }
    }

    /// `ad-network-id` or `ad-network-identifier`; signed.
    package var adNetworkID: AdNetworkID {
        switch self {
        case .skAdNetwork(let postback): postback.adNetworkID
        case .adAttributionKit(let postback): postback.adNetworkID
        }
    }

    /// `did-win`; signed.
    package var didWin: Bool? {
        switch self {
        case .skAdNetwork(let postback): postback.didWin
        case .adAttributionKit(let postback): postback.didWin
        }
    }

    /// The conversion value; **not signed**.
    package var conversion: Conversion {
        switch self {
        case .skAdNetwork(let postback): postback.conversion
        case .adAttributionKit(let postback): postback.conversion
        }
    }

    // MARK: Signature

    /// The claimed signer.
    package var signer: PostbackSigner {
        switch self {
        case .skAdNetwork(let postback): .skAdNetwork(postback.version)
        case .adAttributionKit(let postback): .adAttributionKit(postback.keyID)
        }
    }

    package var signedBytes: [UInt8] {
        switch self {
        case .skAdNetwork(let postback): postback.signedText.utf8
        case .adAttributionKit(let postback): postback.jws.signedBytes
        }
    }

    /// The bytes of the signature.
    package var signature: [UInt8] {
        switch self {
        case .skAdNetwork(let postback): postback.attributionSignature
        case .adAttributionKit(let postback): postback.jws.signature
        }
    }

    /// The encoding of ``signature``.
    package var signatureEncoding: SignatureEncoding {
        switch self {
        case .skAdNetwork: .der
        case .adAttributionKit: .concatenated
        }
    }

    // MARK: Copies

    /// A canonical encoding of all fields except the signature.
    ///
    /// Two copies have the same statements if and only if all their fields are equal, including unsigned ones,
    /// regardless of order, white space, escapes and signature. The first byte is the framework; an AdAttributionKit
    /// postback has its signed fields before the unsigned ones. The format must never change, because stores keep
    /// digests of it.
    package var statements: [UInt8] {
        var output: [UInt8] = []
        appendStatements(to: &output)
        return output
    }

    /// Appends ``statements``.
    package func appendStatements(to output: inout [UInt8]) {
        switch self {
        case .skAdNetwork(let postback):
            output.append(1)
            postback.appendStatements(to: &output)
        case .adAttributionKit(let postback):
            output.append(2)
            postback.appendStatements(to: &output)
        }
    }
}

extension JSONObject {
    /// Reads the body of a postback.
    init(postback body: [UInt8]) throws(PostbackRejection) {
        do throws(JSONError) {
            self = try JSONObject(reading: body)
        } catch .duplicateName(let name) {
            // It may be a postback, so it is quarantined instead of refused.
            throw .malformed([
                FieldProblem(field: name.shortened(to: 60), found: "the name twice", expected: "each name once")
            ])
        } catch {
            throw .notJSON(error)
        }
    }
}

/// A postback whose signature was verified; a store counts nothing else.
package struct VerifiedPostback: Sendable {
    package let postback: ReceivedPostback
    /// Whose key verified it.
    package let provenance: Provenance
    package let keyName: String

    /// Makes a verified postback; only the verifier may call this, and a test checks that no other code does.
    package init(verified postback: ReceivedPostback, provenance: Provenance, keyName: String) {
        self.postback = postback
        self.provenance = provenance
        self.keyName = keyName
    }
}

/// The identity of a postback; Apple signs every part except the framework.
///
/// Apple does not document whether the windows of an install share an id. With the signed sequence index in the key,
/// each window is counted once either way.
package struct PostbackKey: Hashable, Sendable {
    package let framework: PostbackFramework
    /// `ad-network-id` or `ad-network-identifier` as received.
    package let adNetworkID: AdNetworkID
    /// `transaction-id` or `postback-identifier` as received.
    package let transactionID: TransactionID
    /// `postback-sequence-index`, or nil in versions without one.
    package let sequenceIndex: Int64?
}

/// The framework a postback belongs to.
package enum PostbackFramework: String, CaseIterable, Hashable, Sendable {
    /// SKAdNetwork, 1.0 to 4.0.
    case skAdNetwork = "skadnetwork"
    case adAttributionKit = "adattributionkit"
}

/// The claimed signer of a postback, which determines the keys that may verify it.
package enum PostbackSigner: Hashable, Sendable {
    /// The keys for a version of SKAdNetwork.
    case skAdNetwork(SKAdNetworkVersion)
    /// The key that an AdAttributionKit postback names.
    case adAttributionKit(PostbackKeyID)

    /// The signer with a name; nil for a version that this release does not know.
    package init?(_ framework: PostbackFramework, name: String) {
        switch framework {
        case .skAdNetwork:
            guard let version = SKAdNetworkVersion(rawValue: name) else {
                return nil
            }
            self = .skAdNetwork(version)
        case .adAttributionKit:
            self = .adAttributionKit(PostbackKeyID(name))
        }
    }

    /// The framework.
    package var framework: PostbackFramework {
        switch self {
        case .skAdNetwork: .skAdNetwork
        case .adAttributionKit: .adAttributionKit
        }
    }

    /// The version or the `kid`.
    package var name: String {
        switch self {
        case .skAdNetwork(let version): version.rawValue
        case .adAttributionKit(let keyID): keyID.rawValue
        }
    }

    /// The curve of its keys.
    package var curve: SignatureCurve {
        switch self {
        case .skAdNetwork(let version): version.postbackCurve
        case .adAttributionKit: .p256
        }
    }
}
