/// The methods that are recognized; a route answers those that are not its own 405.
///
/// Anything else is not a request. CONNECT is left out on purpose: it would turn the connection into a tunnel, and its
/// target has a form of its own.
package enum IngressMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case options = "OPTIONS"
    case trace = "TRACE"
    case patch = "PATCH"
    case query = "QUERY"

    /// The length of the longest method.
    static let longest = 7

    /// Reads a method.
    ///
    /// - Parameter bytes: The method, without the space after it.
    init?(_ bytes: UnsafeRawBufferPointer) {
        if bytes.isEqual(to: "POST") {
            self = .post
        } else if bytes.count <= Self.longest, let method = Self(rawValue: String(decoding: bytes, as: UTF8.self)) {
            self = method
        } else {
            return nil
        }
    }
}
