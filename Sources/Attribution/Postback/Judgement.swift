/// What reading and verifying made of one body.
public enum Judgement: Sendable {
    /// The signature verifies.
    case verified(VerifiedPostback)
    /// It is no postback, or not a genuine one; the body is kept as received.
    case rejected(PostbackRejection, body: [UInt8])
}
