package import StrictJSON

/// An SKAdNetwork postback, read strictly and not yet verified.
///
/// - SeeAlso: [Identifying the parameters in a
///   postback](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
package struct SKAdNetworkPostback: Sendable {
    let object: JSONObject
    /// The version, which determines the signed text and the key; 1.0 if absent.
    package let version: SKAdNetworkVersion
    /// `ad-network-id`; signed.
    package let adNetworkID: AdNetworkID
    /// `campaign-id` or `source-identifier`; signed.
    package let campaign: PostbackCampaign
    /// `app-id`, the advertised app; signed.
    package let appID: AppStoreItemID
    /// `transaction-id`; signed.
    package let transactionID: TransactionID
    /// `redownload`; signed from 2.0, optional and unproven in 1.0.
    package let isRedownload: Bool?
    /// `source-app-id` or `source-domain`, nil if the postback has neither; signed.
    package let source: PostbackSource?
    /// `fidelity-type`; signed, from 2.2.
    package let fidelityType: FidelityType?
    /// `did-win`; signed, from 3.0.
    package let didWin: Bool?
    /// `postback-sequence-index`, 0, 1 or 2; signed, 4.0.
    package let sequenceIndex: Int64?
    /// `conversion-value` or `coarse-conversion-value`; **not signed**.
    package let conversion: Conversion
    /// `country-code`, from recent systems; **not signed**.
    package let countryCode: CountryCode?
    /// `attribution-signature`, decoded from base64: the bytes of a DER `ECDSA-Sig-Value`.
    package let attributionSignature: [UInt8]

    /// The body exactly as received.
    package var body: [UInt8] { object.source.bytes }

    /// All fields of the body, in order, including unknown ones.
    package var fields: [JSONField] { object.fields }

    /// The text that Apple signs: the version's values in the version's order, as received.
    ///
    /// - SeeAlso: [Combining parameters for previous SKAdNetwork postback
    ///   versions](https://developer.apple.com/documentation/storekit/combining-parameters-for-previous-skadnetwork-postback-versions)
    package var signedText: SignedText {
        var text = SignedText()
        if version > .v1_0 {
            text.append(version.rawValue)
        }
        text.append(adNetworkID.text)
        switch campaign {
        case .campaignID(let number): text.append(number)
        case .sourceIdentifier(let identifier): text.append(identifier.digits)
        }
        text.append(appID.value)
        text.append(transactionID.text)
        if version.signsRedownload, let isRedownload {
            text.append(isRedownload)
        }
        switch source {
        case .app(let id): text.append(id.value)
        case .domain(let domain): text.append(domain.text)
        case nil: break
        }
        if let fidelityType {
            text.append(fidelityType.rawValue)
        }
        if let didWin {
            text.append(didWin)
        }
        if let sequenceIndex {
            text.append(sequenceIndex)
        }
        return text
    }

    /// Appends all fields except the signature.
    func appendStatements(to output: inout [UInt8]) {
        object.appendCanonicalBytes(except: "attribution-signature", to: &output)
    }
}

/// All properties derive from the body, so comparing bodies is enough.
extension SKAdNetworkPostback: Hashable {
    /// Whether the bodies are the same.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.body == rhs.body
    }

    /// Hashes the body.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(body)
    }
}

package enum PostbackCampaign: Hashable, Sendable {
    /// `campaign-id`, up to 3.0.
    case campaignID(Int64)
    /// `source-identifier`, from 4.0: a string of one to four digits.
    case sourceIdentifier(SourceIdentifier)
}

/// Where the ad was shown.
package enum PostbackSource: Hashable, Sendable {
    /// `source-app-id`, from 2.0; 0 for a development-signed app.
    case app(AppStoreItemID)
    /// `source-domain`, 4.0.
    case domain(SourceDomain)
}

extension SKAdNetworkPostback {
    /// Reads a postback strictly from the body of a request.
    ///
    /// Nothing is converted or filled in: a number sent as a string has the wrong type, and `null` is not absent.
    /// Fields that the version does not have are kept in ``fields`` and otherwise ignored.
    ///
    /// - Throws: ``PostbackRejection/notJSON(_:)``, ``PostbackRejection/unknownVersion(_:)``, or
    ///   ``PostbackRejection/malformed(_:)`` with every problem found.
    package init(reading body: [UInt8]) throws(PostbackRejection) {
        let object = try JSONObject(postback: body)
        try self.init(object, PostbackFieldReader(object))
    }

    /// Reads the fields of a body that is one JSON object.
    init(_ object: JSONObject, _ fields: PostbackFieldReader) throws(PostbackRejection) {
        var fields = fields
        let version = try fields.version()

        let adNetworkID = fields.identifier(.adNetworkID, AdNetworkID.init)
        let campaign: PostbackCampaign? =
            version.hasSourceIdentifier
            ? fields.sourceIdentifier().map(PostbackCampaign.sourceIdentifier)
            : fields.integer(.campaignID).map(PostbackCampaign.campaignID)
        let appID = fields.integer(.appID).map(AppStoreItemID.init)
        let transactionID = fields.identifier(.transactionID, TransactionID.init)
        let isRedownload =
            version.signsRedownload ? fields.boolean(.redownload) : fields.unprovenBoolean(.redownload)
        let source = fields.source(version)
        let fidelityType =
            version.hasFidelityType ? fields.integer(.fidelityType).map(FidelityType.init(rawValue:)) : nil
        let didWin = version >= .v3_0 ? fields.boolean(.didWin) : nil
        let sequenceIndex = version >= .v4_0 ? fields.integer(.sequenceIndex, in: 0...2) : nil
        let conversion = fields.conversion()
        let countryCode = fields.countryCode()
        let signature = fields.signature()

        guard fields.problems.isEmpty, let adNetworkID, let campaign, let appID, let transactionID, let signature else {
            throw .malformed(fields.problems)
        }
        self.init(
            object: object, version: version, adNetworkID: adNetworkID, campaign: campaign, appID: appID,
            transactionID: transactionID, isRedownload: isRedownload, source: source, fidelityType: fidelityType,
            didWin: didWin, sequenceIndex: sequenceIndex, conversion: conversion, countryCode: countryCode,
            attributionSignature: signature)
    }
}
