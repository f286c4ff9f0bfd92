import AttributionListener
import Testing

/// A request the handler must get.
struct AcceptedRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: String
    var route = Post.routes.routes[0]
    var body = "{}"
    /// Whether the connection stays open after the answer.
    var staysOpen = true

    var testDescription: String { name }

    static let all: [AcceptedRequest] =
        Post.routes.routes.flatMap { route in
            [
                AcceptedRequest(name: route.path, bytes: Post.request(to: route.path), route: route),
                AcceptedRequest(name: route.path + "/", bytes: Post.request(to: route.path + "/"), route: route),
            ]
        } + [
            .init(name: "a query", bytes: Post.request(to: Post.path + "?a=/b/&c")),
            .init(name: "a query after a slash", bytes: Post.request(to: Post.path + "/?a")),
            .init(name: "the absolute form", bytes: Post.request(to: "http://localhost:80\(Post.path)?a")),
            .init(name: "the absolute form in capitals", bytes: Post.request(to: "HTTPS://localhost\(Post.path)")),
            .init(name: "no type", bytes: Post.request(fields: ["Host: localhost"])),
            .init(name: "a type in capitals", bytes: typed("Application/JSON")),
            .init(name: "a type with a charset", bytes: typed("application/json; charset=utf-8")),
            .init(name: "a type with a charset at once", bytes: typed("application/json;charset=UTF-8")),
            .init(name: "a type with white space", bytes: typed(" \tapplication/json \t")),
            .init(name: "a host in brackets", bytes: Post.request(fields: ["HOST: [::1]:8080"])),
            .init(name: "no body", bytes: Post.head(), body: ""),
            .init(name: "an empty body", bytes: Post.request(body: ""), body: ""),
            .init(name: "bytes that are not JSON", bytes: Post.request(body: "\u{0}\r\n\r\né"), body: "\u{0}\r\n\r\né"),
            .init(name: "a body at the limit", bytes: Post.request(body: large), body: large),
            .init(
                name: "a chunked body", bytes: chunked("Chunked", "1\r\n{\r\n1;x=y\r\n}\r\n0\r\nX-Trailer: 1\r\n\r\n")),
            .init(
                name: "a chunked body at the limit", bytes: chunked("chunked", "4000\r\n\(large)\r\n0\r\n\r\n"),
                body: large),
            .init(name: "an empty chunked body", bytes: chunked("chunked", "0\r\n\r\n"), body: ""),
            .init(name: "empty lines before it", bytes: "\r\n\r\n" + Post.request()),
            .init(name: "HTTP/1.0", bytes: Post.request(version: "1.0", fields: []), staysOpen: false),
            .init(name: "HTTP/1.0 that stays", bytes: Post.request(version: "1.0", fields: ["Connection: Keep-Alive"])),
            .init(
                name: "HTTP/1.0 with Expect", bytes: Post.request(version: "1.0", fields: ["Expect: 100-continue"]),
                staysOpen: false),
            .init(name: "Connection: close", bytes: connection("close"), staysOpen: false),
            .init(name: "Connection: CLOSE", bytes: connection("CLOSE"), staysOpen: false),
            .init(name: "Connection: x, Close", bytes: connection("x, Close"), staysOpen: false),
            .init(name: "Connection: keep-alive, close", bytes: connection("keep-alive, close"), staysOpen: false),
            .init(name: "Connection: keep-alive", bytes: connection("keep-alive")),
            .init(
                name: "an offer to upgrade",
                bytes: Post.request(fields: ["Host: a", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"]),
                staysOpen: false),
        ]

    private static let large = String(repeating: "x", count: 16 * 1024)

    private static func typed(_ type: String) -> String {
        Post.request(fields: ["Host: localhost", "CONTENT-TYPE: \(type)"])
    }

    private static func connection(_ value: String) -> String {
        Post.request(fields: ["Host: localhost", "Connection: \(value)"])
    }

    private static func chunked(_ coding: String, _ body: String) -> String {
        Post.head(fields: ["Host: localhost", "Transfer-Encoding: \(coding)"]) + body
    }
}
