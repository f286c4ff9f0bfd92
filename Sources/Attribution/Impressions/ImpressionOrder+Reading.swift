import StrictJSON

extension ImpressionOrder {
    /// Reads an order and checks every value against the rules of every version.
    ///
    /// - Parameters:
    ///   - body: A JSON object with Apple's field names, `forms` and `versions`.
    ///   - limit: The maximum length of the body, in bytes.
    /// - Throws: ``SigningRefusal`` for a body that is not JSON, an unknown name, or the first invalid or unused value.
    package init(reading body: [UInt8], limit: Int) throws(SigningRefusal) {
        self = try SigningRefusal.orRequest(reading: body, limit: limit) { fields throws(FieldProblem) in
            try Self(ImpressionOrderMembers(fields))
        }
    }

    private init(_ order: ImpressionOrderMembers) throws(FieldProblem) {
        try order.refuseUnused()
        adNetworkID = order.adNetworkID
        itunesItemID = order.itunesItemID
        var ads: [SKAdNetworkAd] = []
        for form in order.forms {
            for version in try order.versions(carrying: form) {
                ads.append(
                    SKAdNetworkAd(
                        version: version, campaign: try order.campaign(version),
                        source: try order.source(form, version),
                        fidelityType: version.hasFidelityType
                            ? (form == .viewThrough ? .viewThrough : .storeKitRendered) : nil))
            }
        }
        skAdNetwork = ads
        adAttributionKit = order.isForAdAttributionKit ? try order.adAttributionKitAd() : nil
    }
}
