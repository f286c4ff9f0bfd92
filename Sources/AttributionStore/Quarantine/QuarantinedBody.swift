import Attribution

/// A body to be put into the quarantine.
struct QuarantinedBody {
    let kind: QuarantineClass
    let cause: Cause
    let body: [UInt8]
    let delivery: Delivery

    enum Cause {
        case rejection(PostbackRejection)
        /// The recorded postback it contradicts, and the digest of its own content.
        case conflict(postback: Int64, content: Digest16)
    }

    /// Creates one for a rejected body.
    init(_ kind: QuarantineClass, _ rejection: PostbackRejection, _ body: [UInt8], _ delivery: Delivery) {
        self.kind = kind
        cause = .rejection(rejection)
        self.body = body
        self.delivery = delivery
    }

    /// Creates one for a copy that contradicts a recorded postback.
    init(conflictWith postback: Int64, _ content: Digest16, _ body: [UInt8], _ delivery: Delivery) {
        kind = .conflict
        cause = .conflict(postback: postback, content: content)
        self.body = body
        self.delivery = delivery
    }

    /// The code of the reason.
    var reason: String {
        switch cause {
        case .rejection(let rejection): rejection.code.rawValue
        case .conflict: Recording.Status.conflict.rawValue
        }
    }

    /// The description of the reason; computed only for bodies that are kept.
    var detail: String {
        switch cause {
        case .rejection(let rejection): rejection.description
        case .conflict(let postback, _): "differs from postback \(postback) in unsigned fields"
        }
    }

    /// The recorded postback it contradicts, and the digest of its own content; nil for a rejected body.
    var conflict: (postback: Int64, content: Digest16)? {
        guard case .conflict(let postback, let content) = cause else {
            return nil
        }
        return (postback, content)
    }
}
