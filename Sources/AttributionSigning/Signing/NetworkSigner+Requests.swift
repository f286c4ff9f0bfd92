package import Attribution

extension NetworkSigner {
    /// Plans to sign every form and version of an ad in an order.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - time: The time to sign.
    ///   - generator: The source of the nonces; a system generator for real ads.
    /// - Returns: The plan.
    /// - Throws: ``Attribution/SigningRefusal`` for an invalid value, and ``KeyProblem`` for a network without a key.
    package func plan(
        _ order: ImpressionOrder,
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
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
    /// - Parameters:
    ///   - request: The request.
    ///   - time: The time to sign.
    ///   - generator: The source of the nonces; a system generator for real bids.
    /// - Returns: The plan, whose answer has the members of `bid.ext` for each imp, and the refusals.
    /// - Throws: ``Attribution/SigningRefusal`` for a network without a key.
    package func plan(
        _ request: BidRequest,
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
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
        _ request: BidSigningRequest,
        _ networks: [BiddingNetwork],
        at time: UnixMilliseconds,
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
