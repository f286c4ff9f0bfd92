package import Attribution
package import CodedErrors
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
    /// - Parameter signed: The signed ``impressions``, in the same order.
    /// - Returns: The answer.
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
