import Attribution

/// One body on its way into the quarantine.
struct QuarantinedBody {
    let kind: QuarantineClass
    let reason: String
    let detail: String
    /// The recorded postback it contradicts, and what it says instead.
    let conflict: (postback: Int64, content: Digest16)?
    let body: [UInt8]
    let delivery: Delivery

    /// A body that is no genuine postback.
    init(_ kind: QuarantineClass, _ rejection: PostbackRejection, _ body: [UInt8], _ delivery: Delivery) {
        self.kind = kind
        reason = rejection.code.rawValue
        detail = rejection.description
        conflict = nil
        self.body = body
        self.delivery = delivery
    }

    /// A copy that contradicts a recorded postback.
    init(conflictWith postback: Int64, _ content: Digest16, _ body: [UInt8], _ delivery: Delivery) {
        kind = .conflict
        reason = Recording.Status.conflict.rawValue
        detail = "says something else than postback \(postback) in fields nobody signs"
        conflict = (postback, content)
        self.body = body
        self.delivery = delivery
    }
}
