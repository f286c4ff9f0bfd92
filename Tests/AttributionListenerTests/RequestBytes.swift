import TestSupport

/// Makes the bytes of connections: sound requests, the known ways of smuggling, and random damage to both.
struct RequestBytes {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The bytes of one connection.
    mutating func next() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) { bytes += request() }
        for _ in 0..<pick([0, 0, 0, 1, 1, 2, 4]) { damage(&bytes) }
        return bytes
    }

    /// Cuts bytes into what single reads might bring.
    mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        let longest = pick([1, 3, 20, 200])
        while !rest.isEmpty {
            let count = Int.random(in: 1...longest, using: &generator)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    private mutating func request() -> [UInt8] {
        let body = pick(["", "{}", "{\"a\":1}", "\r\n", "0\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\n\r\n"])
        let isChunked = Int.random(in: 0..<3, using: &generator) == 0
        // Most are well formed, so that what follows them is read, too.
        let isOdd = Int.random(in: 0..<4, using: &generator) == 0
        var fields = [pick(isOdd ? ["Host: a", "Host: a, b", "X: y"] : ["Host: a", "Host:a", "hOsT: [::1]:80"])]
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            fields.append(pick(isOdd ? Self.fields + Self.oddFields : Self.fields))
        }
        let length = body.utf8.count
        fields.append(
            isChunked
                ? pick(["Transfer-Encoding: chunked", "transfer-encoding:CHUNKED", "Transfer-Encoding: chunked \t"])
                : pick(["Content-Length: \(length)", "content-length:\(length)", "Content-Length: 00\(length) "]))
        fields.shuffle(using: &generator)
        let line =
            isOdd
            ? pick(Self.methods + Self.oddMethods) + pick(["", "", " "]) + pick(Self.targets + Self.oddTargets)
                + pick(Self.versions + Self.oddVersions)
            : pick(Self.methods) + pick(Self.targets) + pick(Self.versions)
        let head = ([line] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
        return Array((pick(["", "", "", "\r\n"]) + head + (isChunked ? chunks(body, isOdd: isOdd) : body)).utf8)
    }

    private mutating func chunks(_ body: String, isOdd: Bool) -> String {
        let extensions = isOdd ? Self.extensions + Self.oddExtensions : Self.extensions
        var text = ""
        var rest = Substring(body)
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...8, using: &generator))
            rest = rest.dropFirst(part.count)
            text +=
                pick(["", "0", "000"]) + String(part.utf8.count, radix: 16) + pick(extensions) + "\r\n\(part)\r\n"
        }
        return text + pick(["0", "00"]) + pick(extensions) + "\r\n"
            + pick(["", "", "", "X-Trailer: 1\r\n", "Content-Length: 3\r\n", "Host: a\r\n", "Transfer-Encoding: x\r\n"])
            + "\r\n"
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = pick(Self.bytes)
        case 2: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 3: bytes.insert(contentsOf: pick(Self.snippets).utf8, at: place)
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + 5))
        default: bytes.insert(pick(Self.bytes), at: place)
        }
    }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    private static let methods = ["POST ", "POST ", "GET ", "PUT ", "HEAD "]
    private static let oddMethods = ["CONNECT ", "post ", "PRI ", "X "]
    private static let targets = [
        Post.path, Post.path, Post.path + "/?a=b", "/", "*", "http://a/b", "HTTPS://a:1\(Post.path)", "/\"<>\\^`{|}",
    ]
    private static let oddTargets = ["*x", "ftp://a/", "http://", "http://a@b/", "a.b", "/#x", ""]
    private static let versions = [" HTTP/1.1", " HTTP/1.1", " HTTP/1.1", " HTTP/1.0"]
    private static let oddVersions = [
        "  HTTP/1.1", " HTTP/1.2", " HTTP/2.0", " HTTP/0.9", "", " HTTP/1.1 ", " http/1.1", " ICE/1.0",
    ]
    private static let fields = [
        "Content-Type: application/json", "Connection: keep-alive", "Connection: x", "Expect: 100-continue",
        "X-Forwarded-For: 1.2.3.4", "X-Forwarded-For:  5.6.7.8 , 9.9.9.9\t", "X-Forwarded-For:", "X-Empty:",
        "X-Odd: \u{e4}\t;,\"", "!#$%&'*+-.^_`|~0: x", "Trailer: x",
    ]
    private static let oddFields = [
        "Connection: close", "Connection: x, Upgrade", "Upgrade: h2c", "Content-Length: 3", "Content-Length: +3",
        "Content-Length: 3, 3", "Content-Length: 99999999999999999999", "Content-Length:",
        "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
        "X-Fold: a\r\n b", "Transfer-Encoding : chunked", "Content-Length\t: 3", " Leading: x", "X Y: z", "NoColon",
        ": empty", "(X): y", "Proxy-Connection: close", "X-CR: a\rb", "X-LF: a\nHost: b", "X-NUL: \0",
        "X-DEL: \u{7f}",
    ]
    private static let extensions = ["", "", "", ";a", ";a=b", ";a=b;c"]
    private static let oddExtensions = [";a=\"q\"", " ;a", ";", ";a=", "; a=b", " "]
    private static let snippets = [
        "\r\n", "\n", "\r", "\r\n\r\n", "\n\n", "\r\r\n", " ", "\t", ":", "0\r\n\r\n", "\r\n ", "Content-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding:\u{b}chunked\r\n", "\0", "\u{80}", ";", "Host: b\r\n",
        "Connection: close\r\n",
    ]
    private static let bytes = Array("\r\n \t:;,=+-0123456789abcfxAF/*\"#@\0\u{7f}".utf8)
}
