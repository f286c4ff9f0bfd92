import Foundation

/// One HTTP answer as read from a socket.
struct RawAnswer: Sendable {
    let status: Int
    /// Field names in lower case.
    let fields: [String: String]
    let body: String

    /// The stable code in a refusal's body.
    var reason: String? {
        guard let start = body.range(of: #""reason":""#) else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }

    /// Whether it announces the end of the connection.
    var saysClose: Bool { fields["connection"] == "close" }
}
