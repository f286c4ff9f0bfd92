package import CodedErrors

/// The answer to a request.
package struct IngressAnswer: Sendable {
    /// The HTTP status code, 200…599.
    package let status: Int
    /// The text of the body.
    package let body: [UInt8]
    /// The media type of the body.
    package var mediaType = IngressMediaType.json
    /// After how long the client may come back; sent as `Retry-After` in whole seconds, rounded up.
    package let retryAfter: Duration?
    /// More header fields; values are our own text, never a client's.
    package var fields: [(name: StaticString, value: String)] = []
    /// The holder of the token it was asked for with: a label of the counter of requests.
    package var caller: String?

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code; anything outside 200…599 is sent as 500.
    ///   - body: The text of the body, JSON unless ``mediaType`` is set.
    ///   - retryAfter: After how long the client may come back.
    package init(status: Int, body: [UInt8], retryAfter: Duration? = nil) {
        self.status = (200...599).contains(status) ? status : 500
        self.body = body
        self.retryAfter = retryAfter
    }

    /// Makes the answer that refuses a request.
    ///
    /// - Parameter error: What is wrong; its code decides the status.
    package init(refusing error: some CodedError) {
        self.init(status: error.code.httpStatus, body: error.body, retryAfter: error.retryAfter)
    }
}
