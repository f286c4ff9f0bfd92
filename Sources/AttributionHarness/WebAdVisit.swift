public import Attribution

/// What a device got for tapping a web ad.
public struct WebAdVisit: Sendable {
    /// The impression the device remembers; nil when it dropped the payload or got none.
    public var impression: Impression?
    /// `status` of the answer to the postback; nil when none was sent or answered.
    public var postbackStatus: String?
    /// Everything that is not as it must be, in words.
    public var problems: [String] = []
}
