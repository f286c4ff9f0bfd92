import CodedErrors
import StrictJSON

/// The members of `bid.ext` for one imp, and a refusal for each extension that was not signed.
package struct SignedExtensions: Sendable {
    /// What becomes `bid.ext.skadn`.
    package typealias Skadn = (offer: SkadnOffer, signed: [SignedSKAdNetworkImpression])
    /// What becomes `bid.ext.adattributionkit`.
    package typealias AdAttributionKit = (offer: AdAttributionKitOffer, signed: SignedAdAttributionKitImpression)

    private let skadn: Skadn?
    private let adAttributionKit: AdAttributionKit?
    /// Why extensions of the imp were not signed.
    package let refusals: [BidRefusal]

    /// Collects what was signed and refused.
    ///
    /// - Parameters:
    ///   - skadn: An offer with its signed impressions, or why there is none; nil if the request does not have the
    ///     extension.
    ///   - adAttributionKit: The same for `bid.ext.adattributionkit`.
    package init(skadn: Result<Skadn, BidRefusal>?, adAttributionKit: Result<AdAttributionKit, BidRefusal>?) {
        var refusals: [BidRefusal] = []
        self.skadn = Self.signed(skadn, &refusals)
        self.adAttributionKit = Self.signed(adAttributionKit, &refusals)
        self.refusals = refusals
    }

    private static func signed<Signed>(
        _ result: Result<Signed, BidRefusal>?, _ refusals: inout [BidRefusal]
    ) -> Signed? {
        switch result {
        case .success(let signed):
            return signed
        case .failure(let refusal):
            refusals.append(refusal)
            return nil
        case nil:
            return nil
        }
    }

    /// The first refusal if nothing was signed, otherwise nil.
    package var refusal: BidRefusal? {
        skadn == nil && adAttributionKit == nil ? refusals.first : nil
    }

    /// Writes `ext` to put into the bid, and `refusals`; or the first refusal if nothing was signed.
    func writeMembers(to json: inout JSONWriter) {
        if let refusal {
            json.members(refusal.members())
            json.member("lossreason", refusal.extension.lossReason)
            writeRefusals(to: &json)
            return
        }
        json.member("status", "signed")
        json.name("ext")
        json.object { json in
            if let skadn {
                json.name(BidRefusal.Extension.skadn.rawValue)
                skadn.offer.writeBidExtension(skadn.signed, to: &json)
            }
            if let adAttributionKit {
                json.name(BidRefusal.Extension.adAttributionKit.rawValue)
                adAttributionKit.offer.writeBidExtension(adAttributionKit.signed, to: &json)
            }
        }
        if adAttributionKit != nil {
            // Of the extensions, it alone is only a proposal to OpenRTB.
            json.name("proposals")
            json.array { $0.string(BidRefusal.Extension.adAttributionKit.rawValue) }
        }
        if !refusals.isEmpty {
            writeRefusals(to: &json)
        }
    }

    private func writeRefusals(to json: inout JSONWriter) {
        json.name("refusals")
        json.array { json in
            for refusal in refusals { refusal.json.write(to: &json) }
        }
    }
}
