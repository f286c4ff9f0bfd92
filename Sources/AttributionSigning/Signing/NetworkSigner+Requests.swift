package import Attribution
import StrictJSON

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
        for impression in impressions {
            _ = try location(of: impression)
        }
        return SigningPlan(impressions) { signed in
            let answers = try signed.map { signed in
                switch signed {
                case .skAdNetwork(let signed): try signed.answer()
                case .adAttributionKit(let signed): signed.answer()
                }
            }
            return SigningPlan.Answer(json: .object(["status": .string("signed"), "impressions": .array(answers)]))
        }
    }

    /// Plans to sign each extension of a bidder's request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - time: The time to sign.
    ///   - generator: The source of the nonces; a system generator for real bids.
    /// - Returns: The plan, whose answer has the members of `bid.ext` and the refusals.
    /// - Throws: ``Attribution/SigningRefusal`` for a network without a key.
    package func plan(
        _ request: BidSigningRequest,
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator
    ) throws -> SigningPlan {
        let offers = try request.offers(from: networks)
        var impressions: [Impression] = []
        let skadn = offers.skadn.map { offer in
            offer.flatMap { offer in
                Result { () throws(BidRefusal) in
                    let ads = try offer.impressions(at: time) { Nonce(using: &generator) }
                    impressions += ads.map { .skAdNetwork($0) }
                    return (offer, ads.count)
                }
            }
        }
        let adAttributionKit = offers.adAttributionKit.map { offer in
            offer.flatMap { offer in
                Result { () throws(BidRefusal) in
                    impressions.append(
                        .adAttributionKit(try offer.impression(at: time, nonce: Nonce(using: &generator))))
                    return offer
                }
            }
        }
        return SigningPlan(impressions) { signed in
            let count = (try? skadn?.get().1) ?? 0
            let answer = BidAnswer(
                skadn: skadn?.map { offer, _ in
                    offer.bidExtension(signed.prefix(count).compactMap(\.skAdNetwork))
                },
                adAttributionKit: adAttributionKit.map { offer in
                    offer.map { offer in
                        // Its impression is the last one.
                        signed.last?.adAttributionKit.map { offer.bidExtension($0) } ?? .null
                    }
                })
            return SigningPlan.Answer(refusal: answer.refusal, json: answer.json)
        }
    }
}

extension SignedImpression {
    fileprivate var skAdNetwork: SignedSKAdNetworkImpression? {
        if case .skAdNetwork(let signed) = self { signed } else { nil }
    }

    fileprivate var adAttributionKit: SignedAdAttributionKitImpression? {
        if case .adAttributionKit(let signed) = self { signed } else { nil }
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
