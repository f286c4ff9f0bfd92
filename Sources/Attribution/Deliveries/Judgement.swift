/// The result of reading and verifying a body.
package enum Judgement: Sendable {
    /// The signature verifies.
    case verified(VerifiedPostback)
    /// It is not a postback, or not a genuine one.
    case rejected(PostbackRejection, body: [UInt8])
    /// Verification failed without a result; nothing may be recorded.
    case undecided(reason: String, body: [UInt8])
}
