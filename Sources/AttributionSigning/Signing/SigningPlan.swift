package import Attribution
package import CodedErrors
package import StrictJSON

/// A request that has been read: the impressions it asks for, and how it is answered once they are signed.
///
/// It needs no key, so that many plans can be signed together, on any thread.
package struct SigningPlan: Sendable {
    /// The answer to a request.
    package struct Answer: Sendable {
        /// Why nothing was signed; nil when something was.
        package let refusal: (any CodedError)?
        /// The body.
        package let json: JSONText

        /// Makes an answer.
        package init(refusal: (any CodedError)? = nil, json: JSONText) {
            self.refusal = refusal
            self.json = json
        }
    }

    /// The impressions to sign.
    package let impressions: [Impression]
    private let makeAnswer: @Sendable (ArraySlice<SignedImpression>) throws -> Answer

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - impressions: The impressions to sign.
    ///   - makeAnswer: Makes the answer from the signed impressions, in the same order.
    package init(
        _ impressions: [Impression], makeAnswer: @escaping @Sendable (ArraySlice<SignedImpression>) throws -> Answer
    ) {
        self.impressions = impressions
        self.makeAnswer = makeAnswer
    }

    /// The answer.
    ///
    /// - Parameter signed: The signed ``impressions``, in the same order.
    package func answer(_ signed: ArraySlice<SignedImpression>) throws -> Answer {
        try makeAnswer(signed)
    }
}
