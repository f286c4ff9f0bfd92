import StrictJSON

extension AdAttributionKitPostback {
    /// Reads the fields of a body that is one JSON object with `jws-string`.
    ///
    /// Nothing is converted or filled in. A signed field is read only from the payload, and an unsigned one only from
    /// the body.
    ///
    /// - Throws: ``PostbackRejection/unknownKey(_:)``, or ``PostbackRejection/malformed(_:)`` with every problem found.
    init(_ object: JSONObject, _ fields: PostbackFieldReader) throws(PostbackRejection) {
        var siblings = fields
        guard let jws = siblings.compactJWS() else {
            throw .malformed(siblings.problems)
        }
        guard let keyID = PostbackKeyID(exactly: jws.keyID) else {
            throw .unknownKey("\"\(jws.keyID)\"")
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
        let conversionType: ConversionType? = signed.word(.conversionType)
        let impressionType = signed.identifier(.impressionType, ImpressionType.init)
        let marketplaceIdentifier = signed.optionalIdentifier(.marketplaceIdentifier, MarketplaceIdentifier.init)
        let didWin = signed.boolean(.didWin)
        let sequenceIndex = signed.integer(.sequenceIndex, in: 0...2)

        let conversion = siblings.conversion()
        let adInteractionType: AdInteractionType? = siblings.unprovenWord(.adInteractionType)
        let countryCode = siblings.countryCode()

        let problems = signed.problems + siblings.problems
        guard problems.isEmpty, let postbackIdentifier, let adNetworkID, let advertisedItemID, let sourceIdentifier,
            let conversionType, let impressionType, let didWin, let sequenceIndex
        else {
            throw .malformed(problems)
        }
        self.init(
            object: object,
            payload: payload,
            jws: jws,
            keyID: keyID,
            postbackIdentifier: postbackIdentifier,
            adNetworkID: adNetworkID,
            advertisedItemID: advertisedItemID,
            publisherItemID: publisherItemID,
            sourceIdentifier: sourceIdentifier,
            conversionType: conversionType,
            impressionType: impressionType,
            marketplaceIdentifier: marketplaceIdentifier,
            didWin: didWin,
            sequenceIndex: sequenceIndex,
            conversion: conversion,
            adInteractionType: adInteractionType,
            countryCode: countryCode
        )
    }
}
