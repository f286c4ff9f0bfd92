/// What became of an attempt to deliver a request.
package enum DeliveryResult: Hashable, Sendable {
    /// The destination answered; redirects are answers like any other, and not followed.
    case answered(Answer)
    /// It did not answer, or was not connected to; the text says why, without secrets.
    case failed(String)

    /// The answer of a destination.
    package struct Answer: Hashable, Sendable {
        /// The HTTP status.
        package let status: Int
        /// The first 2 kB of the body, with whatever is not UTF-8 replaced.
        package let excerpt: String
        /// After how long it wants to be asked again: `Retry-After`, in seconds or as a date.
        package let retryAfter: Duration?

        package init(status: Int, excerpt: String, retryAfter: Duration?) {
            self.status = status
            self.excerpt = excerpt
            self.retryAfter = retryAfter
        }
    }

    /// How many bytes of an answer are kept.
    package static let keptBytes = 2000

    /// Whether the destination has the postback: any status from 200 to 299.
    package var isDelivered: Bool {
        if case .answered(let answer) = self { (200...299).contains(answer.status) } else { false }
    }
}
