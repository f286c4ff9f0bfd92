package import StrictJSON

/// A postback that can be verified, although this release does not know some of its signed values; not yet verified.
///
/// Apple may sign a new word, a longer identifier or a fourth window at any time. Of SKAdNetwork, the signed text is
/// made from the values as they arrived, and only where no other body has the same text: the version is known, each
/// field that it signs has its JSON type, and none could be a sibling's. So whoever holds a genuine postback can make no
/// other of it. Of AdAttributionKit, the bytes are signed, whatever the payload says.
package struct UnknownPostback: Hashable, Sendable {
    /// The claimed signer.
    package let signer: PostbackSigner
    /// The bytes that are signed.
    package let signedBytes: [UInt8]
    /// The bytes of the signature.
    package let signature: [UInt8]
    /// The encoding of ``signature``.
    package let signatureEncoding: SignatureEncoding
    /// `ad-network-id` or `ad-network-identifier`; nil if that is what is not known.
    package let adNetworkID: AdNetworkID?
    /// What is not known, at least one problem.
    package let problems: [FieldProblem]
    /// The body exactly as received.
    package let body: [UInt8]

    /// Finds out whether a body that was read with problems can be verified; nil if it cannot.
    init?(_ object: JSONObject, _ fields: PostbackFieldReader, _ problems: [FieldProblem]) {
        self.problems = problems
        body = object.source.bytes
        var fields = fields
        if fields.isAdAttributionKit {
            guard let jws = fields.compactJWS() else {
                return nil
            }
            signer = .adAttributionKit(PostbackKeyID(jws.keyID))
            (signedBytes, signature, signatureEncoding) = (jws.signedBytes, jws.signature, .concatenated)
            adNetworkID = (try? JSONObject(reading: jws.payload))?.adNetworkID(.adNetworkIdentifier)
        } else {
            guard let version = try? fields.version(), let signature = fields.signature(),
                let text = object.signedText(in: version)
            else {
                return nil
            }
            signer = .skAdNetwork(version)
            (signedBytes, self.signature, signatureEncoding) = (text, signature, .der)
            adNetworkID = object.adNetworkID(.adNetworkID)
        }
    }
}

extension JSONObject {
    fileprivate func adNetworkID(_ field: PostbackField) -> AdNetworkID? {
        if case .string(let text) = self[field.rawValue] { AdNetworkID(text) } else { nil }
    }

    /// The text that a version signs, from the values as received; nil if another body could have the same text.
    fileprivate func signedText(in version: SKAdNetworkVersion) -> [UInt8]? {
        let signed = PostbackField.signed(in: version)
        // Forwarders add `version` and `redownload` to 1.0. With any other field of another version it could be that.
        let isOfAnother = SKAdNetworkVersion.allCases.flatMap(PostbackField.signed(in:)).contains { field in
            !signed.contains(field) && !(version == .v1_0 && [.version, .redownload].contains(field))
                && has(field.rawValue)
        }
        let sources = [PostbackField.sourceAppID, .sourceDomain].filter { has($0.rawValue) }
        guard !isOfAnother, sources.count <= 1 else {
            return nil
        }
        var parts: [String] = []
        for field in signed where ![.sourceAppID, .sourceDomain].contains(field) || sources.contains(field) {
            guard let part = self[field.rawValue]?.signedPart(of: field) else {
                return nil
            }
            parts.append(part)
        }
        return Array(parts.joined(separator: String(SignedTextSeparator.scalar)).utf8)
    }
}

extension JSONValue {
    /// The text of a signed field, as received; nil if the value has not the field's type, or could be of several fields.
    fileprivate func signedPart(of field: PostbackField) -> String? {
        switch (field, self) {
        case (.redownload, .bool(let value)), (.didWin, .bool(let value)):
            value ? "true" : "false"
        case (.campaignID, _), (.appID, _), (.sourceAppID, _), (.fidelityType, _), (.sequenceIndex, _):
            wholeNumber
        case (.sourceDomain, .string(let text)):
            // A whole number would be the same text as that of `source-app-id`.
            Self.isWholeNumber(text) ? nil : Self.part(text)
        case (.version, .string(let text)), (.adNetworkID, .string(let text)), (.sourceIdentifier, .string(let text)),
            (.transactionID, .string(let text)):
            Self.part(text)
        default:
            nil
        }
    }

    private static func part(_ text: String) -> String? {
        text.unicodeScalars.contains(SignedTextSeparator.scalar) ? nil : text
    }

    /// The digits of a whole number, also beyond 64 bits; nil for any other value.
    private var wholeNumber: String? {
        switch self {
        case .integer(let value): String(value)
        case .number(let text) where text != "-0" && Self.isWholeNumber(text): text
        default: nil
        }
    }

    private static func isWholeNumber(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// An ``UnknownPostback`` whose signature was verified; kept to be judged again, and never counted.
package struct VerifiedUnknownPostback: Hashable, Sendable {
    /// The postback.
    package let postback: UnknownPostback
    /// Whose key verified it.
    package let provenance: Provenance
    /// The name of that key.
    package let keyName: String

    /// Makes a verified postback; only the verifier may call this, and a test checks that no other code does.
    package init(verified postback: UnknownPostback, provenance: Provenance, keyName: String) {
        self.postback = postback
        self.provenance = provenance
        self.keyName = keyName
    }
}

/// What a body was read as, to be verified.
package enum PostbackReading: Sendable {
    /// A postback.
    case postback(ReceivedPostback)
    /// A postback with signed values that this release does not know.
    indirect case unknown(UnknownPostback)

    /// Reads a body.
    ///
    /// - Throws: Any ``PostbackRejection`` that needs no signature.
    package init(_ body: [UInt8]) throws(PostbackRejection) {
        let object = try JSONObject(postback: body)
        let fields = PostbackFieldReader(object)
        do throws(PostbackRejection) {
            self = .postback(try ReceivedPostback(object, fields))
        } catch {
            guard case .malformed(let problems) = error, let unknown = UnknownPostback(object, fields, problems) else {
                throw error
            }
            self = .unknown(unknown)
        }
    }

    /// What is to be verified.
    package var signed: any SignedBody {
        switch self {
        case .postback(let postback): postback
        case .unknown(let postback): postback
        }
    }
}

/// A body with a signature that can be verified.
package protocol SignedBody: Sendable {
    /// The claimed signer.
    var signer: PostbackSigner { get }
    /// The bytes that are signed.
    var signedBytes: [UInt8] { get }
    /// The bytes of the signature.
    var signature: [UInt8] { get }
    /// The encoding of ``signature``.
    var signatureEncoding: SignatureEncoding { get }
    /// The body exactly as received.
    var body: [UInt8] { get }
}

extension ReceivedPostback: SignedBody {}

extension UnknownPostback: SignedBody {}
