package import Attribution
package import StrictJSON

/// What became of a body handed in.
package enum IngestOutcome: Sendable {
    /// It is durable: recorded, a repeat, a conflict or in quarantine.
    case durable(Recording)
    /// It cannot be a postback: it is not one JSON object. Nothing was kept.
    case refused(JSONError)
    /// The queue is full or the server is stopping; nothing was done, the sender should come back.
    case overloaded
    /// It may be a genuine postback of a version or key not known yet, and there is no room to keep it; the sender should
    /// come back.
    case quarantineFull
    /// Whether the signature verifies could not be found out; nothing was kept, the sender should come back.
    case undecided
    /// The store failed; nothing was kept, the sender should come back.
    case storeFailed
}
