package import Attribution
package import CodedErrors
package import StrictJSON

/// A request that has been read: the impressions it asks for, and how it is answered once they are signed.
///
/// Making a plan takes no private key and no time worth counting, so the plans of many clients are signed together.
package struct SigningPlan: Sendable {
    /// The answer to a request.
    package struct Answer: Sendable {
        /// Why nothing was signed; nil when something was.
        package let refusal: (any CodedError)?
        /// Whether something was signed, and something else was refused.
        package let isPartial: Bool
        /// The extensions of bids that were refused, for a header field; nil if there are none.
        package let refusedExtensions: String?
        /// The body.
        package let members: [(String, JSONText)]

        init(_ members: [(String, JSONText)]) {
            refusal = nil
            isPartial = false
            refusedExtensions = nil
            self.members = members
        }

        init(_ answer: BidAnswer) {
            refusal = answer.refusal
            isPartial = answer.isPartial
            refusedExtensions = answer.refusedExtensions
            members = answer.members
        }
    }

    /// The impressions to sign.
    package let impressions: [Impression]
    /// The impressions of each ad, in all its forms and versions.
    package let ads: [Range<Int>]
    private let makeAnswer: @Sendable (ArraySlice<SignedImpression>) throws -> Answer

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - ads: The impressions to sign for each ad.
    ///   - makeAnswer: Makes the answer from the signed impressions of all ads, in the same order.
    init(
        _ ads: [[Impression]], makeAnswer: @escaping @Sendable (ArraySlice<SignedImpression>) throws -> Answer
    ) {
        impressions = ads.flatMap(\.self)
        var start = 0
        self.ads = ads.map { ad in
            defer { start += ad.count }
            return start..<start + ad.count
        }
        self.makeAnswer = makeAnswer
    }

    /// The answer.
    ///
    /// - Parameter signed: The signed ``impressions``, in the same order.
    /// - Returns: The answer.
    /// - Throws: What keeps it from being written.
    package func answer(_ signed: ArraySlice<SignedImpression>) throws -> Answer {
        try makeAnswer(signed)
    }
}
