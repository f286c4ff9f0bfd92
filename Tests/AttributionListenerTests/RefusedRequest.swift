import Testing

/// A request the ingress answers itself, with the answer it must get.
struct RefusedRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: String
    let status: Int
    let reason: String
    /// Whether the connection must serve another request afterwards.
    var staysOpen = false
    /// Whether the fault lies in what has no end, so that nothing can stand behind it.
    var isUnfinished = false

    var testDescription: String { name }

    private init(
        _ name: String,
        _ status: Int,
        _ reason: String,
        staysOpen: Bool = false,
        isUnfinished: Bool = false,
        _ bytes: String
    ) {
        self.name = name
        self.bytes = bytes
        self.status = status
        self.reason = reason
        self.staysOpen = staysOpen
        self.isUnfinished = isUnfinished
    }

    private static func fields(_ fields: String...) -> String {
        Post.head(fields: ["Host: localhost"] + fields)
    }

    /// What cannot be served, on a connection that can go on.
    static let unserved: [RefusedRequest] = [
        .init("an unknown path", 404, "not-found", staysOpen: true, Post.request(to: "/postbacks")),
        .init("the root", 404, "not-found", staysOpen: true, Post.request(to: "/")),
        .init("a path in capitals", 404, "not-found", staysOpen: true, Post.request(to: "/SKAdNetwork/postbacks")),
        .init("two trailing slashes", 404, "not-found", staysOpen: true, Post.request(to: Post.path + "//")),
        .init(
            "a percent-encoded path", 404, "not-found", staysOpen: true, Post.request(to: "/skadnetwork/postback%73")),
        .init("GET of an unknown path", 404, "not-found", staysOpen: true, Post.head(to: "/admin", method: "GET")),
        .init("OPTIONS of the server", 404, "not-found", staysOpen: true, Post.head(to: "*", method: "OPTIONS")),
        .init("GET", 405, "method-not-allowed", staysOpen: true, Post.head(method: "GET")),
        .init("PUT", 405, "method-not-allowed", staysOpen: true, Post.head(method: "PUT")),
        .init("DELETE", 405, "method-not-allowed", staysOpen: true, Post.head(method: "DELETE")),
        .init("TRACE", 405, "method-not-allowed", staysOpen: true, Post.head(method: "TRACE")),
        .init("text/plain", 415, "unsupported-media-type", staysOpen: true, typed("text/plain")),
        .init("problem+json", 415, "unsupported-media-type", staysOpen: true, typed("application/problem+json")),
        .init("text/json", 415, "unsupported-media-type", staysOpen: true, typed("text/json")),
        .init("application/jsonp", 415, "unsupported-media-type", staysOpen: true, typed("application/jsonp")),
        .init("an empty type", 415, "unsupported-media-type", staysOpen: true, typed("")),
        .init(
            "two types", 415, "unsupported-media-type", staysOpen: true,
            fields("Content-Type: application/json", "Content-Type: application/json", "Content-Length: 2") + "{}"),
        .init(
            "a compressed body", 415, "unsupported-media-type", staysOpen: true,
            fields("Content-Type: application/json", "Content-Encoding: gzip", "Content-Length: 2") + "{}"),
        .init(
            "a chunked body of an unserved type", 415, "unsupported-media-type", staysOpen: true,
            fields("Content-Type: text/xml", "Transfer-Encoding: chunked") + "3\r\nabc\r\n0\r\n\r\n"),
    ]

    /// What is too large, with limits of 1,000 bytes for body and target, 2,000 for the head and 8 fields.
    static let oversized: [RefusedRequest] = [
        .init("a declared body", 413, "body-too-large", fields("Content-Length: 1001")),
        .init("a declared body of 2^62 bytes", 413, "body-too-large", fields("Content-Length: 4611686018427387904")),
        .init(
            "a declared body for an unknown path", 413, "body-too-large",
            Post.head(to: "/other", fields: ["Host: localhost", "Content-Length: 1001"])),
        .init(
            "a chunked body", 413, "body-too-large",
            fields("Transfer-Encoding: chunked") + "3e8\r\n" + letters(1000) + "\r\n1\r\nx\r\n"),
        .init(
            "a chunked body for an unknown path", 404, "not-found",
            Post.head(to: "/other", fields: ["Host: localhost", "Transfer-Encoding: chunked"])
                + "3e9\r\n" + letters(1001) + "\r\n"),
        .init(
            "chunk extensions without end", 413, "body-too-large", isUnfinished: true,
            fields("Transfer-Encoding: chunked") + "1;x=" + letters(20_000)),
        .init("one field", 431, "head-too-large", fields("X-Large: " + letters(2000))),
        .init(
            "one unfinished field", 431, "head-too-large", isUnfinished: true,
            "POST \(Post.path) HTTP/1.1\r\nHost: localhost\r\nX-Large: " + letters(2100)),
        .init(
            "many fields",
            431,
            "head-too-large",
            Post.head(fields: ["Host: localhost"] + (1...8).map { "X-\($0): 1" })
        ),
        .init(
            "white space without end", 431, "head-too-large", isUnfinished: true,
            "POST \(Post.path) HTTP/1.1\r\nHost:" + String(repeating: " ", count: 2100)),
        .init(
            "trailer fields",
            431,
            "head-too-large",
            fields("Transfer-Encoding: chunked") + "0\r\n" + (1...8).map { "X-\($0): 1\r\n" }.joined() + "\r\n"
        ),
        .init("a target", 414, "target-too-long", Post.request(to: Post.path + "?" + letters(1000))),
        .init("an unfinished target", 414, "target-too-long", isUnfinished: true, "POST /" + letters(2100)),
    ]

    /// What is not sound HTTP, the known ways of smuggling a request among it.
    static let unsound: [RefusedRequest] = [
        .init("a PROXY header", 400, "malformed-request", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + Post.request()),
        .init(
            "a binary PROXY header", 400, "malformed-request",
            "\r\n\r\n\u{0}\r\nQUIT\n\u{21}\u{11}\u{0}\u{c}aaaabbbbccdd" + Post.request()),
        .init("noise", 400, "malformed-request", "\u{1}\u{2}\u{3}\u{4}\r\n\r\n"),
        .init(
            "the first bytes of TLS", 400, "malformed-request", isUnfinished: true,
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{3}\u{3}"),
        .init("a method in small letters", 400, "malformed-request", Post.head(method: "post")),
        .init("an unknown method", 400, "malformed-request", Post.head(method: "POSTS")),
        .init("no version", 400, "malformed-request", "POST \(Post.path)\r\nHost: localhost\r\n\r\n"),
        .init("HTTP/2.0", 400, "malformed-request", Post.head(version: "2.0")),
        .init("HTTP/1.2", 400, "malformed-request", Post.head(version: "1.2")),
        .init("HTTP/1.1x", 400, "malformed-request", Post.head(version: "1.1x")),
        .init("a space in the target", 400, "malformed-request", Post.head(to: "/a b")),
        .init("white space before the first field", 400, "malformed-request", Post.head(fields: [" Host: localhost"])),
        .init("a folded field", 400, "malformed-request", fields("X-Folded: a\r\n b")),
        .init("a folded length", 400, "malformed-request", fields("Content-Length:\r\n 2") + "{}"),
        .init("a space before the colon", 400, "malformed-request", fields("Content-Length : 2") + "{}"),
        .init("a tab before the colon", 400, "malformed-request", fields("Transfer-Encoding\t: chunked") + "0\r\n\r\n"),
        .init("a field without a name", 400, "malformed-request", fields(": value")),
        .init("a field without a colon", 400, "malformed-request", fields("Nonsense")),
        .init("a carriage return in a value", 400, "malformed-request", fields("X-A: a\rContent-Length: 2")),
        .init("a zero byte in a value", 400, "malformed-request", fields("X-A: a\u{0}b")),
        .init("a zero byte in a name", 400, "malformed-request", fields("X\u{0}A: b")),
        .init(
            "lines that end in line feeds",
            400,
            "malformed-request",
            "POST \(Post.path) HTTP/1.1\nHost: localhost\n\n"
        ),
        .init(
            "a line feed after the fields", 400, "malformed-request",
            "POST \(Post.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\n\n"),
        .init("no Host", 400, "missing-host", Post.head(fields: [])),
        .init("an empty Host", 400, "invalid-host", Post.head(fields: ["Host:"])),
        .init("two equal Hosts", 400, "repeated-host", Post.head(fields: ["Host: a", "Host: a"])),
        .init("two differing Hosts", 400, "repeated-host", Post.head(fields: ["Host: a", "host: b"])),
        .init("two Hosts in one field", 400, "invalid-host", Post.head(fields: ["Host: a, b"])),
        .init("a Host with a path", 400, "invalid-host", Post.head(fields: ["Host: a/b"])),
        .init("a Host with a user", 400, "invalid-host", Post.head(fields: ["Host: a@b"])),
        .init("length, then chunked", 400, "", fields("Content-Length: 5", "Transfer-Encoding: chunked") + chunks),
        .init("chunked, then length", 400, "", fields("Transfer-Encoding: chunked", "Content-Length: 5") + chunks),
        .init(
            "chunked in capitals, then length", 400, "",
            fields("TRANSFER-ENCODING: CHUNKED", "CONTENT-LENGTH: 5") + chunks),
        .init("two differing lengths", 400, "", fields("Content-Length: 2", "Content-Length: 3") + "{}"),
        .init("two equal lengths", 400, "", fields("Content-Length: 2", "Content-Length: 2") + "{}"),
        .init("two lengths in one field", 400, "malformed-request", fields("Content-Length: 2, 2") + "{}"),
        .init("a length with a plus sign", 400, "malformed-request", fields("Content-Length: +2") + "{}"),
        .init("a length with a minus sign", 400, "malformed-request", fields("Content-Length: -2") + "{}"),
        .init("a hexadecimal length", 400, "malformed-request", fields("Content-Length: 0x2") + "{}"),
        .init("a length with a space in it", 400, "malformed-request", fields("Content-Length: 1 2") + "{}"),
        .init("an empty length", 400, "malformed-request", fields("Content-Length:") + "{}"),
        .init(
            "a length beyond 64 bits", 400, "malformed-request", fields("Content-Length: 18446744073709551618") + "{}"),
        .init(
            "a length with chunked as HTTP/1.0", 400, "ambiguous-length",
            Post.head(version: "1.0", fields: ["Transfer-Encoding: chunked"]) + chunks),
        .init(
            "compressed and chunked", 400, "unsupported-transfer-coding",
            fields("Transfer-Encoding: gzip, chunked") + chunks),
        .init("chunked twice in one field", 400, "", fields("Transfer-Encoding: chunked, chunked") + chunks),
        .init("chunked twice", 400, "", fields("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + chunks),
        .init("identity", 400, "", fields("Transfer-Encoding: identity") + chunks),
        .init("chunked, then identity", 400, "", fields("Transfer-Encoding: chunked, identity") + chunks),
        .init(
            "identity and chunked in two fields", 400, "",
            fields("Transfer-Encoding: identity", "Transfer-Encoding: chunked") + chunks),
        .init("an unknown coding", 400, "", fields("Transfer-Encoding: xchunked") + chunks),
        .init("chunked after a control character", 400, "", fields("Transfer-Encoding: \u{b}chunked") + chunks),
        .init("chunked in quotes", 400, "", fields("Transfer-Encoding: \"chunked\"") + chunks),
        .init("a chunk size that is none", 400, "malformed-request", chunked("xyz\r\n{}\r\n0\r\n\r\n")),
        .init("a chunk size with 0x", 400, "malformed-request", chunked("0x2\r\n{}\r\n0\r\n\r\n")),
        .init("a negative chunk size", 400, "malformed-request", chunked("-2\r\n{}\r\n0\r\n\r\n")),
        .init("a chunk size beyond 64 bits", 400, "malformed-request", chunked("10000000000000002\r\n{}\r\n0\r\n\r\n")),
        .init("a space after the chunk size", 400, "malformed-request", chunked("2 \r\n{}\r\n0\r\n\r\n")),
        .init("a chunk size that ends in a line feed", 400, "malformed-request", chunked("2\n{}\r\n0\r\n\r\n")),
        .init("a chunk longer than its size", 400, "malformed-request", chunked("2\r\n{}}\r\n0\r\n\r\n")),
        .init("a chunk without its end of line", 400, "malformed-request", chunked("2\r\n{}0\r\n\r\n")),
        .init(
            "a length among the trailers", 400, "malformed-request",
            chunked("2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n")),
        .init(
            "an unknown expectation", 417, "unsupported-expectation",
            fields("Expect: 200-ok", "Content-Length: 2") + "{}"),
    ]

    private static let chunks = "2\r\n{}\r\n0\r\n\r\n"

    private static func chunked(_ body: String) -> String {
        fields("Transfer-Encoding: chunked") + body
    }

    private static func letters(_ count: Int) -> String {
        String(repeating: "a", count: count)
    }

    private static func typed(_ type: String) -> String {
        Post.request(fields: ["Host: localhost", "Content-Type: \(type)"])
    }
}
