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

    /// Signs each extension of a bidder's request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - time: The time to sign.
    ///   - generator: The source of the nonces; a system generator for real bids.
    /// - Returns: The members of `bid.ext`, and the refusals.
    /// - Throws: ``Attribution/SigningRefusal`` for a network without a key, and the errors of ``ImpressionSigner``.
    package func answer(
        _ request: BidSigningRequest,
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
    ) throws -> BidAnswer {
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
        return BidAnswer(skadn: skadn, adAttributionKit: adAttributionKit)
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

extension SignedSKAdNetworkImpression {
    /// The signed values, and the parameters of the StoreKit call for the form.
    fileprivate func answer() throws -> JSONText {
        var members: [(String, JSONText)] = [
            ("form", .string(impression.form.rawValue)), ("version", .string(impression.version.rawValue)),
            ("impression", json),
        ]
        switch impression.form {
        case .storeKitRendered: members.append(("store-kit-product-parameters", try storeKitProductParameters()))
        case .viewThrough: members.append(("ad-impression-properties", try adImpressionProperties()))
        case .web: break
        }
        return .object(members)
    }
}

extension SignedAdAttributionKitImpression {
    /// The signed values, and the JWS for the AdAttributionKit call.
    fileprivate func answer() -> JSONText {
        .object([
            "form": .string("adattributionkit"), "impression": impression.payload, "compact-jws": .string(compactJWS),
        ])
    }
}
