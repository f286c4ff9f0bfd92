package import Attribution
package import StrictJSON

/// A request that has been read: the impressions it asks for, and how it is answered once they are signed.
///
/// Making a plan takes no private key and no time worth counting, so the plans of many clients are signed together.
package struct SigningPlan: Sendable {
    /// The answer to a request.
    package enum Answer: Sendable {
        /// The signed impressions of an ad, in all its forms and versions.
        case ad([SignedImpression])
        /// The extensions of bids.
        case bids(BidAnswer)

        /// Why nothing was signed; nil when something was.
        package var refusal: (any CodedError)? {
            if case .bids(let answer) = self { answer.refusal } else { nil }
        }

        /// Whether something was signed, and something else was refused.
        package var isPartial: Bool {
            if case .bids(let answer) = self { answer.isPartial } else { false }
        }

        /// The extensions of bids that were refused, for a header field; nil if there are none.
        package var refusedExtensions: String? {
            if case .bids(let answer) = self { answer.refusedExtensions } else { nil }
        }

        /// Writes the members of the body.
        package func writeMembers(to json: inout JSONWriter) {
            switch self {
            case .ad(let impressions):
                json.member("status", "signed")
                json.name("impressions")
                json.array { json in
                    for impression in impressions { impression.writeAnswer(to: &json) }
                }
            case .bids(let answer): answer.writeMembers(to: &json)
            }
        }
    }

    /// What is answered.
    private enum Request {
        case ad
        case bid(PlannedExtensions)
        case bids([(impID: String, extensions: PlannedExtensions)])
    }

    private let request: Request
    /// The impressions to sign.
    package let impressions: [Impression]
    /// The impressions of each ad, in all its forms and versions.
    package let ads: [Range<Int>]

    private init(_ request: Request, _ ads: [[Impression]]) {
        self.request = request
        impressions = ads.flatMap(\.self)
        var start = 0
        self.ads = ads.map { ad in
            defer { start += ad.count }
            return start..<start + ad.count
        }
    }

    /// Plans to sign an ad in all its forms and versions.
    init(ad impressions: [Impression]) {
        request = .ad
        self.impressions = impressions
        ads = [impressions.indices]
    }

    /// Plans to sign the extensions of one imp.
    init(bid extensions: PlannedExtensions) {
        self.init(.bid(extensions), [extensions.impressions])
    }

    /// Plans to sign the extensions of each bid of a whole request.
    init(bids: [(impID: String, extensions: PlannedExtensions)]) {
        self.init(.bids(bids), bids.map(\.extensions.impressions))
    }

    /// The answer.
    ///
    /// - Throws: ``SignerError/signatureDoesNotVerify`` if these are not the plan's impressions.
    package func answer(_ signed: [SignedImpression]) throws -> Answer {
        guard signed.count == impressions.count else {
            throw SignerError.signatureDoesNotVerify
        }
        return switch request {
        case .ad: .ad(signed)
        case .bid(let extensions): .bids(.one(try extensions.signed(signed[...])))
        case .bids(let bids):
            .bids(
                .whole(try zip(bids, ads).map { bid, range in (bid.impID, try bid.extensions.signed(signed[range])) }))
        }
    }
}

extension NetworkSigner {
    /// Plans to sign every form and version of an ad in an order.
    ///
    /// - Throws: ``Attribution/SigningRefusal`` for an invalid value, and ``KeyProblem`` for a network without a key.
    package func plan(
        _ order: ImpressionOrder, at time: UnixMilliseconds, using generator: inout some RandomNumberGenerator
    ) throws -> SigningPlan {
        let impressions = try order.impressions(at: time) {
            Nonce(using: &generator)
        }
        // Nothing is signed in vain when one of many lacks a key.
        if impressions.count > 1 {
            for impression in impressions { _ = try location(of: impression) }
        }
        return SigningPlan(ad: impressions)
    }

    /// Plans to sign each extension of each imp that a bidder bids on.
    ///
    /// - Throws: ``Attribution/SigningRefusal`` for a network without a key.
    package func plan(
        _ request: BidRequest, at time: UnixMilliseconds, using generator: inout some RandomNumberGenerator
    ) throws -> SigningPlan {
        switch request {
        case .one(let request):
            return SigningPlan(bid: try PlannedExtensions(request, networks, at: time, using: &generator))
        case .whole(let bids):
            var planned: [(impID: String, extensions: PlannedExtensions)] = []
            for bid in bids {
                let extensions = try PlannedExtensions(bid.request, networks, at: time, using: &generator)
                planned.append((bid.impID, extensions))
            }
            return SigningPlan(bids: planned)
        }
    }
}

/// The extensions of one imp: what to sign for them, and what they become.
struct PlannedExtensions: Sendable {
    private(set) var impressions: [Impression] = []
    private let skadn: Result<(offer: SkadnOffer, count: Int), BidRefusal>?
    private let adAttributionKit: Result<AdAttributionKitOffer, BidRefusal>?

    init(
        _ request: BidSigningRequest, _ networks: [BiddingNetwork], at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
    ) throws {
        let offers = try request.offers(from: networks)
        var impressions: [Impression] = []
        skadn = offers.skadn?.flatMap { offer in
            Result { () throws(BidRefusal) in
                let ads = try offer.impressions(at: time) { Nonce(using: &generator) }
                impressions += ads.map { .skAdNetwork($0) }
                return (offer, ads.count)
            }
        }
        adAttributionKit = offers.adAttributionKit?.flatMap { offer in
            Result { () throws(BidRefusal) in
                impressions.append(.adAttributionKit(try offer.impression(at: time, nonce: Nonce(using: &generator))))
                return offer
            }
        }
        self.impressions = impressions
    }

    /// The extensions, from the signed ``impressions`` in their order.
    func signed(_ signed: ArraySlice<SignedImpression>) throws -> SignedExtensions {
        let skadn = skadn?.map { offer, count in
            let own = signed.prefix(count).compactMap { if case .skAdNetwork(let one) = $0 { one } else { nil } }
            return SignedExtensions.Skadn(offer, own)
        }
        var app: Result<SignedExtensions.AdAttributionKit, BidRefusal>?
        switch adAttributionKit {
        case .failure(let refusal): app = .failure(refusal)
        case .success(let offer):
            // Its impression is the last one.
            guard case .adAttributionKit(let one)? = signed.last else {
                throw SignerError.signatureDoesNotVerify
            }
            app = .success((offer, one))
        case nil: break
        }
        return SignedExtensions(skadn: skadn, adAttributionKit: app)
    }
}
