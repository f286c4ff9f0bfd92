package import Attribution

/// One body on its way into the quarantine.
package struct QuarantinedBody {
    package let kind: QuarantineClass
    /// Why it is not counted.
    package let cause: Cause
    package let body: [UInt8]
    /// The delivery they came in.
    package let delivery: Delivery
    /// The traffic of a body of class `unknown`; nil for all others.
    package let traffic: Traffic?
    /// The digest by which a body is kept once: of what is signed in class `unknown`, of the whole content of a conflict;
    /// nil for all others.
    package let content: Digest16?

    /// Why a body is not counted.
    package enum Cause {
        /// It is no genuine postback.
        case rejection(PostbackRejection)
        /// The recorded postback it contradicts.
        case conflict(postback: Int64)
    }

    /// A body that was rejected.
    package init(
        _ rejection: PostbackRejection, _ body: [UInt8], _ delivery: Delivery, networks: OwnNetworks
    ) {
        kind = QuarantineClass(rejection)
        cause = .rejection(rejection)
        if case .notUnderstood(let verified) = rejection {
            var digester = PostbackDigester()
            traffic = networks.traffic(of: verified)
            content = digester.digest(ofSigned: verified)
        } else {
            (traffic, content) = (nil, nil)
        }
        self.body = body
        self.delivery = delivery
    }

    /// A copy that contradicts a recorded postback.
    package init(conflictWith postback: Int64, _ content: Digest16, _ body: [UInt8], _ delivery: Delivery) {
        kind = .conflict
        cause = .conflict(postback: postback)
        traffic = nil
        self.content = content
        self.body = body
        self.delivery = delivery
    }

    /// The budget it takes room from.
    package var budget: QuarantineRoom.Budget { QuarantineRoom.Budget(kind, traffic) }

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
        case .conflict(let postback): Self.detail(ofConflictWith: postback)
        }
    }

    /// The description of a copy that contradicts a recorded postback.
    package static func detail(ofConflictWith postback: Int64) -> String {
        "differs from postback \(postback) in unsigned fields"
    }

    /// The recorded postback it contradicts, and what it says instead; nil for none.
    package var conflict: (postback: Int64, content: Digest16)? {
        guard case .conflict(let postback) = cause, let content else {
            return nil
        }
        return (postback, content)
    }
}
