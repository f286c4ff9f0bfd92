package import Attribution
import StrictJSON

/// A change to a genuine postback, and the expected result.
package struct Tampering: Sendable, CustomStringConvertible {
    /// The expected result of a change.
    package enum Expectation: Hashable, Sendable {
        /// The signature must not verify.
        case forged
        /// It must be rejected: a field is missing or of the wrong type, or the signature does not verify.
        case rejected
        /// It verifies with the same signed fields, because nothing signed was changed.
        case sameStatement
    }

    /// The field that was changed.
    package let field: PostbackField
    /// A description of the change.
    package let change: String
    /// The expected result.
    package let expectation: Expectation
    private let makeBody: @Sendable () -> [UInt8]

    /// Makes a change; its body is made lazily, because there are hundreds and few are sent.
    init(
        field: PostbackField,
        change: String,
        body: @autoclosure @escaping @Sendable () -> [UInt8],
        expectation: Expectation
    ) {
        self.field = field
        self.change = change
        self.expectation = expectation
        makeBody = body
    }

    /// The changed body with the original signature.
    package var body: [UInt8] {
        makeBody()
    }

    /// The field and the change.
    package var description: String {
        "\(field.rawValue) \(change)"
    }

    /// Every change to every signed field and to the signature, every move of a value to
    /// another field, and every added field of another version.
    package static func all(of postback: ReceivedPostback) -> [Tampering] {
        changes(of: postback) + moves(of: postback)
    }

    /// Every change to every signed field and to the signature.
    package static func changes(of postback: ReceivedPostback) -> [Tampering] {
        switch postback {
        case .skAdNetwork(let postback): changes(of: postback)
        case .adAttributionKit(let postback): changes(of: postback)
        }
    }

    /// Whether a verdict is the one expected.
    ///
    /// - Parameters:
    ///   - judgement: The judgement on ``body``.
    ///   - original: The postback before the change.
    /// - Returns: Whether the verifier detected the change.
    package func isDetected(by judgement: Judgement, original: ReceivedPostback) -> Bool {
        switch (expectation, judgement) {
        case (.forged, .rejected(let rejection, _)): rejection.code == .invalidSignature
        case (.rejected, .rejected): true
        case (.sameStatement, .verified(let verified)):
            verified.postback.signedStatement == original.signedStatement
        default: false
        }
    }

    private static func changes(of postback: SKAdNetworkPostback) -> [Tampering] {
        let draft = PostbackDraft(postback)
        var result: [Tampering] = []
        for field in PostbackField.signed(in: postback.version) where field != .version {
            for (change, value) in changes(of: field, from: draft[field], in: draft.fields) {
                let changed = draft.replacing(field, with: value)
                result.append(
                    Tampering(
                        field: field, change: change, body: changed.body(signature: postback.attributionSignature),
                        expectation: .forged))
            }
        }
        result.append(
            Tampering(
                field: .attributionSignature, change: "with one bit flipped",
                body: draft.body(signature: flipped(postback.attributionSignature)), expectation: .forged))
        return result
    }

    private static func changes(of postback: AdAttributionKitPostback) -> [Tampering] {
        let draft = AdAttributionKitDraft(postback)
        var result: [Tampering] = []
        for field in PostbackField.allCases {
            for (change, value) in changes(of: field, from: draft[field], in: draft.signed) {
                let changed = draft.replacing(field, with: value)
                result.append(
                    Tampering(
                        field: field, change: change, body: changed.body(signature: postback.jws.signature),
                        expectation: .forged))
            }
        }
        let jws = String(decoding: postback.jws.signedBytes, as: UTF8.self)
        for (change, text) in [
            ("with one bit flipped", jws + "." + Base64URL.encode(flipped(postback.jws.signature))),
            // A signature must not have the number 0.
            ("all zeros", jws + "." + Base64URL.encode([UInt8](repeating: 0, count: 64))),
        ] {
            let fields = [JSONField(name: PostbackField.jwsString.rawValue, value: .string(text))] + draft.unproven
            result.append(
                Tampering(
                    field: .jwsString, change: change,
                    body: Array(JSONText.object(fields.map { ($0.name, $0.value.text) }).line.utf8),
                    expectation: .forged))
        }
        return result
    }

    private static func flipped(_ signature: [UInt8]) -> [UInt8] {
        var signature = signature
        signature[signature.count - 1] ^= 1
        return signature
    }

    private static func changes(
        of field: PostbackField,
        from value: JSONValue?,
        in draft: [JSONField]
    ) -> [(String, JSONValue?)] {
        switch value {
        case .string where field == .conversionType:
            return [
                ("changed", .string(ConversionType.allCases.first { .string($0.rawValue) != value }?.rawValue ?? ""))
            ]
        case .string(let text):
            let isDigits = text.allSatisfy(\.isNumber)
            let other = text.last == "1" ? "2" : "1"
            var changes: [(String, JSONValue?)] = [("with its end changed", .string(text.dropLast() + other))]
            if !isDigits {
                changes.append(
                    ("in other letter case", .string(text == text.uppercased() ? text.lowercased() : text.uppercased()))
                )
            }
            if field == .sourceDomain || field == .marketplaceIdentifier {
                changes.append(("removed", nil))
            }
            return changes
        case .integer(let number):
            // Stays within the range of a sequence index, so that the signature decides.
            let other = field == .sequenceIndex ? (number + 1) % 3 : number ^ 1
            return [("changed", .integer(other))]
                + (field == .sourceAppID || field == .publisherItemIdentifier ? [("removed", nil)] : [])
        case .bool(let isTrue):
            return [("inverted", .bool(!isTrue))]
        case nil where field == .sourceAppID && draft[.version] != nil && draft[.sourceDomain] == nil:
            // Like a forwarder that replaces absent numbers with zeros.
            return [("filled in with 0", .integer(0))]
        case nil where field == .publisherItemIdentifier:
            return draft[.postbackIdentifier] == nil ? [] : [("filled in with 0", .integer(0))]
        default:
            return []
        }
    }
}
