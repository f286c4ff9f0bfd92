/// What reading and verifying made of one body.
package enum Judgement: Sendable {
    /// The signature verifies.
    case verified(VerifiedPostback)
    /// It is no postback, or not a genuine one; the body is kept as received.
    case rejected(PostbackRejection, body: [UInt8])
    /// Whether the signature verifies could not be found out; nothing is known of the postback, and nothing may be
    /// recorded of it.
    case undecided(reason: String, body: [UInt8])
}
