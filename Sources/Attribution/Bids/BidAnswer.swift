package import StrictJSON

/// The answer to a ``BidRequest``.
package enum BidAnswer: Sendable {
    /// The extensions for one imp.
    case one(SignedExtensions)
    /// The extensions for each bid of a whole request, in its order, with the id of its imp.
    case whole([(impID: String, extensions: SignedExtensions)])

    private var all: [SignedExtensions] {
        switch self {
        case .one(let extensions): [extensions]
        case .whole(let bids): bids.map(\.extensions)
        }
    }

    /// The first refusal if nothing was signed, otherwise nil.
    package var refusal: (any CodedError)? {
        all.contains { $0.refusal == nil } ? nil : all.lazy.compactMap(\.refusal).first
    }

    /// Whether something was signed, and something else was refused.
    package var isPartial: Bool {
        refusal == nil && all.contains { !$0.refusals.isEmpty }
    }

    /// The extensions that were refused in some imp with their reasons, each pair once, as a structured field (RFC 8941):
    /// `skadn;reason=no-common-version, adattributionkit;reason=bad-field`; nil if there are none.
    package var refusedExtensions: String? {
        var items: [String] = []
        for refusal in all.lazy.flatMap(\.refusals) {
            let item = "\(refusal.extension.rawValue);reason=\(refusal.reason.rawValue)"
            if !items.contains(item) {
                items.append(item)
            }
        }
        return items.isEmpty ? nil : items.joined(separator: ", ")
    }

    /// Writes what to put into the bids, and what was refused; the first refusal leads if nothing was signed.
    package func writeMembers(to json: inout JSONWriter) {
        switch self {
        case .one(let extensions): extensions.writeMembers(to: &json)
        case .whole(let bids):
            if let refusal {
                json.members(refusal.members())
            } else {
                json.member("status", "signed")
            }
            json.name("bids")
            json.array { json in
                for bid in bids {
                    json.object { json in
                        json.member("impid", bid.impID)
                        bid.extensions.writeMembers(to: &json)
                    }
                }
            }
        }
    }
}

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
        if let member = skadn?.offer.sourceAppMember ?? adAttributionKit?.offer.sourceAppMember {
            json.member("sourceappfrom", member)
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
