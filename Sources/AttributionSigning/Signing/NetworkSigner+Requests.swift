package import Attribution
package import StrictJSON

extension NetworkSigner {
    /// Signs every form and version of an ad in an order.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - time: The time to sign.
    ///   - generator: The source of the nonces; a system generator for real ads.
    /// - Returns: The signed impressions, each in the format that ad servers pass on.
    /// - Throws: ``Attribution/SigningRefusal`` for an invalid value, ``KeyProblem`` for a network without a key, and
    ///   the errors of ``ImpressionSigner``.
    package func answer(
        _ order: ImpressionOrder,
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
    ) throws -> [JSONText] {
        let impressions = try order.impressions(at: time) {
            Nonce(using: &generator)
        }
        return try impressions.map { impression in
            switch impression {
            case .skAdNetwork(let impression): try sign(impression).answer()
            case .adAttributionKit(let impression): try sign(impression).answer()
            }
        }
    }

    /// Signs each extension of each imp that a bidder bids on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - time: The time to sign.
    ///   - generator: The source of the nonces; a system generator for real bids.
    /// - Returns: The members of `bid.ext` for each imp, and the refusals.
    /// - Throws: ``Attribution/SigningRefusal`` for a network without a key, and the errors of ``ImpressionSigner``.
    package func answer(
        _ request: BidRequest,
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
    ) throws -> BidAnswer {
        switch request {
        case .one(let request): return .one(try extensions(request, at: time, using: &generator))
        case .whole(let bids):
            return .whole(
                try bids.map { bid in
                    (bid.impID, try extensions(bid.request, at: time, using: &generator))
                })
        }
    }

    private func extensions(
        _ request: BidSigningRequest,
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
    ) throws -> SignedExtensions {
        let offers = try request.offers(from: networks)
        let skadn = try extend(offers.skadn) { offer in
            let impressions = try offer.impressions(at: time) {
                Nonce(using: &generator)
            }
            return offer.bidExtension(try impressions.map { try sign($0) })
        }
        let adAttributionKit = try extend(offers.adAttributionKit) { offer in
            let nonce = Nonce(using: &generator)
            let impression = try offer.impression(at: time, nonce: nonce)
            return offer.bidExtension(try sign(impression))
        }
        return SignedExtensions(skadn: skadn, adAttributionKit: adAttributionKit)
    }

    /// Signs an offer; a refusal becomes part of the result, and any other error is rethrown.
    private func extend<Offer>(
        _ offer: Result<Offer, BidRefusal>?, _ sign: (Offer) throws -> JSONText
    ) throws -> Result<JSONText, BidRefusal>? {
        switch offer {
        case nil: return nil
        case .failure(let refusal): return .failure(refusal)
        case .success(let offer):
            do {
                return .success(try sign(offer))
            } catch let refusal as BidRefusal {
                return .failure(refusal)
            }
        }
    }
}
