import Foundation

/// One HTTP answer as read from a socket.
package struct RawAnswer: Sendable {
    package let status: Int
    /// Field names in lower case.
    package let fields: [String: String]
    package let body: String

    /// The stable code in a refusal's body.
    package var reason: String? {
        guard let start = body.range(of: #""reason":""#) else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }

    /// Whether it announces the end of the connection.
    package var saysClose: Bool { fields["connection"] == "close" }
}
