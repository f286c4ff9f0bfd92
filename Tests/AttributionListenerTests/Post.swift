import AttributionListener

/// Spellings of a request.
enum Post {
    /// The paths of the listener under test.
    static let routes = IngressRoutes([
        path, "/adattributionkit/postbacks", "/.well-known/skadnetwork/report-attribution",
    ])
    static let path = "/skadnetwork/postbacks"

    /// A POST with a body and its length.
    static func request(
        to target: String = path,
        body: String = "{}",
        version: String = "1.1",
        fields: [String] = ["Host: localhost", "Content-Type: application/json"]
    ) -> String {
        head(to: target, version: version, fields: fields + ["Content-Length: \(body.utf8.count)"]) + body
    }

    /// A POST without a body and without a length, unless `fields` has one.
    static func head(
        to target: String = path,
        method: String = "POST",
        version: String = "1.1",
        fields: [String] = ["Host: localhost"]
    ) -> String {
        "\(method) \(target) HTTP/\(version)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }
}
