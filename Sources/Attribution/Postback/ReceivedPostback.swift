/// A postback of either framework that was read strictly; nothing is proved yet.
///
/// It is handed on often and changed never, and so one reference to a dozen values.
public indirect enum ReceivedPostback: Hashable, Sendable {
    /// A postback of SKAdNetwork.
    case skAdNetwork(SKAdNetworkPostback)
    /// A postback of AdAttributionKit.
    case adAttributionKit(AdAttributionKitPostback)

    /// Reads a postback strictly from the body of a request; one with `jws-string` is AdAttributionKit's, unless it has
    /// SKAdNetwork's signature and `jws-string` is something a forwarder added.
    ///
    /// - Parameter body: The bytes as received.
    /// - Throws: ``PostbackRejection``, all but ``PostbackRejection/invalidSignature(keys:)``.
    public init(reading body: [UInt8]) throws(PostbackRejection) {
        let object = try JSONObject(postback: body)
        let fields = PostbackFieldReader(object)
        self =
            fields.has(.jwsString) && !fields.has(.attributionSignature)
            ? .adAttributionKit(try AdAttributionKitPostback(fields, body: body))
            : .skAdNetwork(try SKAdNetworkPostback(fields, body: body))
    }

    /// The body exactly as received.
    public var body: [UInt8] {
        switch self {
        case .skAdNetwork(let postback): postback.body
        case .adAttributionKit(let postback): postback.body
        }
    }

    /// The framework.
    public var framework: PostbackFramework {
        switch self {
        case .skAdNetwork: .skAdNetwork
        case .adAttributionKit: .adAttributionKit
        }
    }

    /// What makes the postback one and the same.
    public var key: PostbackKey {
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

    /// `did-win`; signed.
    public var didWin: Bool? {
        switch self {
        case .skAdNetwork(let postback): postback.didWin
        case .adAttributionKit(let postback): postback.didWin
        }
    }

    /// The conversion value; **not signed**.
    public var conversion: Conversion {
        switch self {
        case .skAdNetwork(let postback): postback.conversion
        case .adAttributionKit(let postback): postback.conversion
        }
    }

    // MARK: Signature

    /// Who it says has signed it.
    public var signer: PostbackSigner {
        switch self {
        case .skAdNetwork(let postback): .skAdNetwork(postback.version.postbackCurve)
        case .adAttributionKit(let postback): .adAttributionKit(postback.keyID)
        }
    }

    /// What the signature covers, as received.
    public var signedBytes: [UInt8] {
        switch self {
        case .skAdNetwork(let postback): postback.signedText.utf8
        case .adAttributionKit(let postback): postback.jws.signedBytes
        }
    }

    /// The bytes of the signature.
    public var signature: [UInt8] {
        switch self {
        case .skAdNetwork(let postback): postback.attributionSignature
        case .adAttributionKit(let postback): postback.jws.signature
        }
    }

    /// How ``signature`` is written.
    public var signatureEncoding: SignatureEncoding {
        switch self {
        case .skAdNetwork: .der
        case .adAttributionKit: .concatenated
        }
    }

    // MARK: Copies

    /// Tells whether another copy of the postback says the same in every field but the signature.
    ///
    /// Order and spelling of the JSON do not matter, nor does the signature: a second one over the same text proves
    /// nothing else. Fields nobody signed do: a replay with another conversion value says something else.
    public func saysTheSame(as other: ReceivedPostback) -> Bool {
        switch (self, other) {
        case (.skAdNetwork(let postback), .skAdNetwork(let other)): postback.statements == other.statements
        case (.adAttributionKit(let postback), .adAttributionKit(let other)): postback.statements == other.statements
        default: false
        }
    }
}

extension JSONObject {
    /// Reads the body of a postback.
    init(postback body: [UInt8]) throws(PostbackRejection) {
        do throws(JSONError) {
            self = try JSONObject(reading: body)
        } catch .duplicateName(let name) {
            // An object all the same, so it is kept for a person to look at instead of being refused.
            throw .malformed([
                FieldProblem(field: name.shortened(to: 60), found: "the name twice", expected: "each name once")
            ])
        } catch {
            throw .notJSON(error)
        }
    }
}
