package import CodedErrors

/// The answer to a request.
package struct IngressAnswer: Sendable, Equatable {
    /// The HTTP status code, 200…599.
    package let status: Int
    /// The JSON text of the body, sent as `application/json`.
    package let body: [UInt8]
    /// After how long the client may come back; sent as `Retry-After` in whole seconds, rounded up.
    package let retryAfter: Duration?
    /// How a client proves who it is; sent as `WWW-Authenticate`.
    package var challenge: String?
    /// The holder of the token it was asked for with: a label of the counter of requests.
    package var caller: String?

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code; anything outside 200…599 is sent as 500.
    ///   - body: The JSON text of the body.
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
