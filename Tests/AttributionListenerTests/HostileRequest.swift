import Testing

/// A request that could cost more than what it is worth.
struct HostileRequest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let status: Int

    private init(_ name: String, _ status: Int, _ bytes: String) {
        testDescription = name
        self.bytes = bytes
        self.status = status
    }

    private static let common = [
        "Host: postbacks.example.com", "Content-Type: application/json", "User-Agent: com.apple.storekit/1.0",
        "Accept: */*", "Accept-Encoding: gzip, deflate, br",
    ]

    /// As long as a postback of version 4.0.
    private static let body = #"{"a":""# + String(repeating: "x", count: 500) + #""}"#

    /// What a device sends.
    static let plain = Post.request(body: body, fields: common)

    private static func with(_ fields: [String]) -> String {
        Post.request(body: body, fields: common + fields)
    }

    /// A field of 15 KB.
    private static func long(_ name: String, _ unit: String) -> String {
        "\(name): " + String(repeating: unit, count: 15_000 / unit.utf8.count)
    }

    private static let thirty = String(repeating: "x", count: 30)

    private static func chunked(_ chunks: String) -> String {
        Post.head(fields: common + ["Transfer-Encoding: chunked"]) + chunks + "0\r\n\r\n"
    }

    static let all: [HostileRequest] = [
        .init("X-Forwarded-For of commas", 200, with([long("X-Forwarded-For", ",")])),
        .init("X-Forwarded-For of blanks", 200, with([long("X-Forwarded-For", " \t") + "1"])),
        .init("X-Forwarded-For of proxies", 200, with([long("X-Forwarded-For", "10.0.0.3, ") + "10.0.0.3"])),
        .init("X-Forwarded-For of clients", 200, with([long("X-Forwarded-For", "192.0.2.7, ") + "192.0.2.7"])),
        .init("X-Forwarded-For of IPv6 proxies", 200, with([long("X-Forwarded-For", "fd00::ffff:1, ") + "fd00::1"])),
        .init("X-Forwarded-For of quotes", 200, with([long("X-Forwarded-For", "\"")])),
        .init("X-Forwarded-For of one letter", 200, with([long("X-Forwarded-For", "a")])),
        .init("X-Forwarded-For of digits", 200, with([long("X-Forwarded-For", "1")])),
        .init("X-Forwarded-For beyond ASCII", 200, with([long("X-Forwarded-For", "\u{e9}\u{301}")])),
        .init(
            "X-Forwarded-For in 50 lines", 200, with(Array(repeating: "X-Forwarded-For: 10.0.0.3, 10.0.0.3", count: 50))
        ),
        .init(
            "50 fields of 300 bytes", 200,
            with(
                (0..<50).map { "X-Field-\($0): " + String(repeating: "v", count: 290) })),
        .init("58 empty fields", 200, with((0..<58).map { "X\($0):" })),
        .init("65 fields", 431, with((0..<65).map { "X\($0):" })),
        .init("a name of 15 KB", 200, with([String(repeating: "n", count: 15_000) + ": v"])),
        .init("Connection of commas", 200, with([long("Connection", ",")])),
        .init("Connection of options", 200, with([long("Connection", "closed,")])),
        .init("Connection of keep-alive", 200, with([long("Connection", "keep-alive,")])),
        .init("Proxy-Connection of commas", 200, with([long("Proxy-Connection", ",")])),
        .init(
            "a media type with parameters", 200,
            Post.request(
                body: body,
                fields: ["Host: a", "Content-Type: application/json" + String(repeating: ";a=b", count: 3_700)])),
        .init("a media type of 15 KB", 415, Post.request(body: body, fields: ["Host: a", long("Content-Type", "x/")])),
        .init("an expectation of 15 KB", 417, with([long("Expect", "100-continue,")])),
        .init("Expect on a request with its body", 200, with(["Expect: 100-continue"])),
        .init(
            "a host of 15 KB", 200,
            Post.request(body: body, fields: [long("Host", "a."), "Content-Type: application/json"])),
        .init(
            "an invalid host of 15 KB", 400,
            Post.request(body: body, fields: [long("Host", "\u{e9}"), "Content-Type: application/json"])),
        .init("a coding of 15 KB", 400, with([long("Transfer-Encoding", "chunked,")])),
        .init("a length of 15 KB", 400, with([long("Content-Length", "0")])),
        .init(
            "a query of 4 KB", 200,
            Post.request(to: Post.path + "?" + String(repeating: "a=%41&", count: 670), body: body, fields: common)),
        .init(
            "a path of 4 KB", 404,
            Post.request(to: String(repeating: "/..", count: 1_360), body: body, fields: common)),
        .init(
            "a target of 15 KB", 414,
            Post.request(to: Post.path + "?" + String(repeating: "a", count: 15_000), body: body, fields: common)),
        .init(
            "a URL as target", 404,
            Post.request(to: "http://" + String(repeating: "a.", count: 2_000) + "/", body: body, fields: common)),
        .init("an unknown path", 404, Post.request(to: "/", body: body, fields: common)),
        .init("GET", 405, Post.head(method: "GET", fields: common)),
        .init("no HTTP", 400, String(repeating: "\u{16}\u{3}\u{1}", count: 5_000)),
        .init("eight empty lines before it", 200, String(repeating: "\r\n", count: 8) + plain),
        .init("empty lines before it", 400, String(repeating: "\r\n", count: 7_500) + plain),
        .init("a body of 16 KiB", 200, Post.request(body: String(repeating: "x", count: 16_384), fields: common)),
        .init("a chunk of 16 KiB", 200, chunked("4000\r\n" + String(repeating: "x", count: 16_384) + "\r\n")),
        .init("as many chunks of one byte as are taken", 200, chunked(String(repeating: "1\r\nx\r\n", count: 200))),
        .init("more chunks of one byte", 413, chunked(String(repeating: "1\r\nx\r\n", count: 10_000))),
        .init("more chunks of 30 bytes", 413, chunked(String(repeating: "1e\r\n\(thirty)\r\n", count: 300))),
        .init("a chunk size of 1 KB", 200, chunked(String(repeating: "0", count: 1_000) + "1\r\nx\r\n")),
        .init("a chunk size of 15 KB", 413, chunked(String(repeating: "0", count: 15_000) + "1\r\nx\r\n")),
        .init("a chunk of 2^60 bytes", 413, chunked("1000000000000000\r\nx")),
        .init("chunk extensions of 1 KB", 200, chunked("1" + String(repeating: ";a=b", count: 250) + "\r\nx\r\n")),
        .init("chunk extensions of 15 KB", 413, chunked("1" + String(repeating: ";a=b", count: 3_700) + "\r\nx\r\n")),
        .init(
            "trailers", 200,
            Post.head(fields: common + ["Transfer-Encoding: chunked"]) + "0\r\n"
                + (0..<50).map { "X-Trailer-\($0): " + String(repeating: "v", count: 290) + "\r\n" }.joined() + "\r\n"),
    ]
}
