import StrictJSON

/// A postback of either framework that was read strictly; nothing is proved yet.
///
/// It is handed on often and changed never, and so one reference to a dozen values.
package indirect enum ReceivedPostback: Hashable, Sendable {
    /// A postback of SKAdNetwork.
    case skAdNetwork(SKAdNetworkPostback)
    /// A postback of AdAttributionKit.
    case adAttributionKit(AdAttributionKitPostback)

    /// Reads a postback strictly from the body of a request; one with `jws-string` is AdAttributionKit's, unless it has
    /// SKAdNetwork's signature and `jws-string` is something a forwarder added.
    ///
    /// - Parameter body: The bytes as received.
    /// - Throws: ``PostbackRejection``, all but ``PostbackRejection/invalidSignature(keys:)``.
    package init(reading body: [UInt8]) throws(PostbackRejection) {
        let object = try JSONObject(postback: body)
        let fields = PostbackFieldReader(object)
        self =
            fields.has(.jwsString) && !fields.has(.attributionSignature)
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

    /// The framework.
    package var framework: PostbackFramework {
        switch self {
        case .skAdNetwork: .skAdNetwork
        case .adAttributionKit: .adAttributionKit
        }
    }

    /// What makes the postback one and the same.
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

    /// Who it says has signed it.
    package var signer: PostbackSigner {
        switch self {
        case .skAdNetwork(let postback): .skAdNetwork(postback.version.postbackCurve)
        case .adAttributionKit(let postback): .adAttributionKit(postback.keyID)
        }
    }

    /// What the signature covers, as received.
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

    /// How ``signature`` is written.
    package var signatureEncoding: SignatureEncoding {
        switch self {
        case .skAdNetwork: .der
        case .adAttributionKit: .concatenated
        }
    }

    // MARK: Copies

    /// Everything the body says but the signature, in one spelling.
    ///
    /// Two copies have the same bytes if and only if they say the same in every field: order, white space and escapes do
    /// not matter, nor does the signature, for a second one over the same text proves nothing else. Fields nobody signed
    /// do: a replay with another conversion value says something else. The first byte names the framework; the fields of
    /// an AdAttributionKit postback follow in two groups, the signed ones and those beside them. The format is for ever,
    /// for stores keep digests of it.
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

    /// Tells whether another copy of the postback says the same in every field but the signature.
    package func saysTheSame(as other: ReceivedPostback) -> Bool {
        statements == other.statements
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
