import StrictJSON

extension SKAdNetworkPostback {
    /// Reads a postback strictly from the body of a request.
    ///
    /// Nothing is converted or filled in: a number sent as a string has the wrong type, and `null` is not absent.
    /// Fields that the version does not have are kept in ``fields`` and otherwise ignored.
    ///
    /// - Parameter body: The body as received.
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
            object: object,
            version: version,
            adNetworkID: adNetworkID,
            campaign: campaign,
            appID: appID,
            transactionID: transactionID,
            isRedownload: isRedownload,
            source: source,
            fidelityType: fidelityType,
            didWin: didWin,
            sequenceIndex: sequenceIndex,
            conversion: conversion,
            countryCode: countryCode,
            attributionSignature: signature
        )
    }
}
