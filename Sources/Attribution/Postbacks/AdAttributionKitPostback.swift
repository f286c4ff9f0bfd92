package import StrictJSON

/// An AdAttributionKit postback, read strictly and not yet verified.
///
/// - SeeAlso: [Identifying the parameters in a
///   postback](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package struct AdAttributionKitPostback: Sendable {
    let object: JSONObject
    /// The signed payload.
    let payload: JSONObject
    /// `jws-string`.
    package let jws: CompactJWS
    /// `kid`, the key that must verify it.
    package let keyID: PostbackKeyID
    /// `postback-identifier`, used to discard repeats; signed.
    package let postbackIdentifier: TransactionID
    /// `ad-network-identifier`; signed.
    package let adNetworkID: AdNetworkID
    /// `advertised-item-identifier`, 0 for an app installed by Xcode; signed.
    package let advertisedItemID: AppStoreItemID
    /// `publisher-item-identifier`, the app that showed the ad, 0 in development; signed, highest data tier only.
    package let publisherItemID: AppStoreItemID?
    /// `source-identifier`, one to four digits; signed.
    package let sourceIdentifier: SourceIdentifier
    /// `conversion-type`; signed.
    package let conversionType: ConversionType
    /// `impression-type`; signed.
    package let impressionType: ImpressionType
    /// `marketplace-identifier`, left out at the lowest data tier; signed.
    package let marketplaceIdentifier: MarketplaceIdentifier?
    /// `did-win`; signed.
    package let didWin: Bool
    /// `postback-sequence-index`, 0, 1 or 2; signed.
    package let sequenceIndex: Int64
    /// `conversion-value` or `coarse-conversion-value`; **not signed**.
    package let conversion: Conversion
    /// `ad-interaction-type`; **not signed**.
    package let adInteractionType: AdInteractionType?
    /// `country-code`, highest data tier only; **not signed**.
    package let countryCode: CountryCode?

    /// The body exactly as received.
    package var body: [UInt8] { object.source.bytes }

    /// The fields of the body except `jws-string`, in order; **not signed**.
    package var unprovenFields: [JSONField] {
        object.fields.filter { $0.name != PostbackField.jwsString.rawValue }
    }

    /// All fields of the signed payload, in order, including unknown ones.
    package var signedFields: [JSONField] { payload.fields }

    /// Appends all fields except the signature; signed and unsigned fields with the same name stay separate.
    func appendStatements(to output: inout [UInt8]) {
        payload.appendCanonicalBytes(to: &output)
        object.appendCanonicalBytes(except: "jws-string", to: &output)
    }
}

/// All properties derive from the body, so comparing bodies is enough.
extension AdAttributionKitPostback: Hashable {
    /// Whether the bodies are the same.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.body == rhs.body
    }

    /// Hashes the body.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(body)
    }
}

extension AdAttributionKitPostback {
    /// Reads the fields of a body that is one JSON object with `jws-string`.
    ///
    /// Nothing is converted or filled in. A signed field is read only from the payload, and an unsigned one only from
    /// the body.
    ///
    /// - Throws: ``PostbackRejection/malformed(_:)`` with every problem found.
    init(_ object: JSONObject, _ fields: PostbackFieldReader) throws(PostbackRejection) {
        var siblings = fields
        guard let jws = siblings.compactJWS() else {
            if let key = fields.unknownKey() {
                throw .unknownKey(key)
            }
            throw .malformed(siblings.problems)
        }
        let payload: JSONObject
        do throws(JSONError) {
            payload = try JSONObject(reading: jws.payload)
        } catch {
            throw .malformed([
                FieldProblem(
                    field: "jws-string payload", found: error.description,
                    expected: "one JSON object with unique names")
            ])
        }
        var signed = PostbackFieldReader(payload)

        let postbackIdentifier = signed.identifier(.postbackIdentifier, TransactionID.init)
        let adNetworkID = signed.identifier(.adNetworkIdentifier, AdNetworkID.init)
        let advertisedItemID = signed.integer(.advertisedItemIdentifier).map(AppStoreItemID.init)
        let publisherItemID = signed.optionalInteger(.publisherItemIdentifier).map(AppStoreItemID.init)
        let sourceIdentifier = signed.sourceIdentifier()
        let conversionType = signed.conversionType()
        let impressionType = signed.identifier(.impressionType, ImpressionType.init)
        let marketplaceIdentifier = signed.optionalIdentifier(.marketplaceIdentifier, MarketplaceIdentifier.init)
        let didWin = signed.boolean(.didWin)
        let sequenceIndex = signed.integer(.sequenceIndex, in: 0...2)

        let conversion = siblings.conversion()
        let adInteractionType = siblings.adInteractionType()
        let countryCode = siblings.countryCode()

        let problems = signed.problems + siblings.problems
        guard problems.isEmpty, let postbackIdentifier, let adNetworkID, let advertisedItemID, let sourceIdentifier,
            let conversionType, let impressionType, let didWin, let sequenceIndex
        else {
            throw .malformed(problems)
        }
        self.init(
            object: object, payload: payload, jws: jws, keyID: PostbackKeyID(jws.keyID),
            postbackIdentifier: postbackIdentifier, adNetworkID: adNetworkID, advertisedItemID: advertisedItemID,
            publisherItemID: publisherItemID,
            sourceIdentifier: sourceIdentifier, conversionType: conversionType, impressionType: impressionType,
            marketplaceIdentifier: marketplaceIdentifier, didWin: didWin, sequenceIndex: sequenceIndex,
            conversion: conversion, adInteractionType: adInteractionType, countryCode: countryCode)
    }
}

/// The `kid` of a key that signs AdAttributionKit postbacks: any text, because keys come and go.
///
/// - SeeAlso: [Verifying a
///   postback](https://developer.apple.com/documentation/adattributionkit/verifying-a-postback)
package struct PostbackKeyID: Sendable {
    /// The name.
    package let rawValue: String

    /// Takes a name as received.
    package init(_ name: String) {
        rawValue = name
    }

    /// Apple's production key.
    package static let production = PostbackKeyID("apple-cas-identifier/0")
    /// Apple's development key for end-to-end flows.
    package static let developmentFlow = PostbackKeyID("apple-development-identifier/0")
    /// Apple's development key for postbacks created in a device's developer settings.
    package static let developerSettings = PostbackKeyID("apple-development-identifier/1")
    /// The test keys that the operator trusts.
    package static let test = PostbackKeyID("skan-test-identifier/0")

    /// The names of the keys that are built in, and of test keys.
    package static let known = [production, developmentFlow, developerSettings, test]

    /// Apple's names, for messages.
    static var list: String {
        known.filter { $0 != .test }.map(\.rawValue).joined(separator: ", ")
    }
}

extension PostbackKeyID: Hashable {
    /// Whether the names have the same bytes; `String` also equates different spellings.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue.utf8.elementsEqual(rhs.rawValue.utf8)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 {
            hasher.combine(byte)
        }
    }
}
