package import CodedErrors

/// The answer to a request.
package struct IngressAnswer: Sendable {
    /// The HTTP status code, 200…599.
    package let status: Int
    /// The text of the body.
    package let body: [UInt8]
    /// The media type of the body; nil for an answer without one.
    package let mediaType: String?
    /// After how long the client may come back; sent as `Retry-After` in whole seconds, rounded up, at least 1.
    package var retryAfter: Duration?
    /// More header fields.
    package private(set) var fields: [(name: String, value: String)] = []
    /// The holder of the token it was asked for with: a label of the counter of requests.
    package var caller: String?

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code; anything outside 200…599 is sent as 500.
    ///   - body: The text of the body.
    ///   - mediaType: The media type of the body.
    ///   - retryAfter: After how long the client may come back.
    package init(status: Int, body: [UInt8], mediaType: String? = "application/json", retryAfter: Duration? = nil) {
        self.status = (200...599).contains(status) ? status : 500
        self.body = body
        self.mediaType = mediaType
        self.retryAfter = retryAfter
    }

    /// Makes the answer that refuses a request.
    ///
    /// - Parameter error: What is wrong; its code decides the status.
    package init(refusing error: some CodedError) {
        self.init(status: error.code.httpStatus, body: error.body, retryAfter: error.retryAfter)
    }

    /// Sets a header field.
    ///
    /// - Parameters:
    ///   - name: The name; always the same spelling for one field.
    ///   - value: The value; control characters, which would end it, are replaced.
    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name == name }
        let isText = value.utf8.allSatisfy(IngressByte.isFieldText)
        fields.append(
            (name, isText ? value : String(value.unicodeScalars.map { Self.isControl($0) ? "?" : Character($0) })))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7f
    }
}
