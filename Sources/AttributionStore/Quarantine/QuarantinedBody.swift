package import Attribution

/// One body on its way into the quarantine.
package struct QuarantinedBody {
    package let kind: QuarantineClass
    /// Why it is not counted.
    package let cause: Cause
    package let body: [UInt8]
    /// The delivery they came in.
    package let delivery: Delivery

    /// Why a body is not counted.
    package enum Cause {
        /// It is no genuine postback.
        case rejection(PostbackRejection)
        /// The recorded postback it contradicts, and the digest of its own content.
        case conflict(postback: Int64, content: Digest16)
    }

    /// A body that is no genuine postback.
    package init(_ kind: QuarantineClass, _ rejection: PostbackRejection, _ body: [UInt8], _ delivery: Delivery) {
        self.kind = kind
        cause = .rejection(rejection)
        self.body = body
        self.delivery = delivery
    }

    /// A copy that contradicts a recorded postback.
    package init(conflictWith postback: Int64, _ content: Digest16, _ body: [UInt8], _ delivery: Delivery) {
        kind = .conflict
        cause = .conflict(postback: postback, content: content)
        self.body = body
        self.delivery = delivery
    }

    package var reason: String {
        switch cause {
        case .rejection(let rejection): rejection.code.rawValue
        case .conflict: Recording.Status.conflict.rawValue
        }
    }

    /// Its description; written for bodies that are kept alone, for most of a flood is not.
    package var detail: String {
        switch cause {
        case .rejection(let rejection): rejection.description
        case .conflict(let postback, _): Self.detail(ofConflictWith: postback)
        }
    }

    /// The description of a copy that contradicts a recorded postback.
    package static func detail(ofConflictWith postback: Int64) -> String {
        "differs from postback \(postback) in unsigned fields"
    }

    /// The recorded postback it contradicts, and what it says instead; nil for none.
    package var conflict: (postback: Int64, content: Digest16)? {
        guard case .conflict(let postback, let content) = cause else {
            return nil
        }
        return (postback, content)
    }
}
