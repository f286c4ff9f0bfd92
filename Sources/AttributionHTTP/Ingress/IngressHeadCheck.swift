import NIOHTTP1

/// What is decided of a request by its head alone, before a byte of the body is read.
struct IngressHeadCheck {
    struct Refusal: Error {
        let answer: IngressAnswer
    }

    let result: Result<IngressRoute, Refusal>

    init(_ head: HTTPRequestHead, limits: IngressLimits) {
        result = Result { () throws(Refusal) in try Self.route(head, limits) }
    }

    private static func route(_ head: HTTPRequestHead, _ limits: IngressLimits) throws(Refusal) -> IngressRoute {
        let size = head.headers.reduce(head.uri.utf8.count + 16) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard size <= limits.headBytes, head.headers.count <= limits.headFields else {
            throw refusal(
                431, "head-too-long", "more than \(limits.headBytes) bytes or \(limits.headFields) fields in the head")
        }
        let hosts = head.headers["host"]
        guard hosts.count == 1 || (hosts.isEmpty && head.version.minor == 0) else {
            throw refusal(400, "bad-host", "found \(hosts.count) Host fields, expected one")
        }
        let encodings = head.headers["transfer-encoding"]
        guard encodings.isEmpty || (encodings.count == 1 && encodings[0].lowercased() == "chunked") else {
            throw refusal(501, "bad-transfer-encoding", "expected chunked or none")
        }
        let lengths = head.headers["content-length"]
        guard lengths.count <= 1, lengths.isEmpty || encodings.isEmpty else {
            throw refusal(400, "bad-length", "expected one Content-Length, or Transfer-Encoding, not both")
        }
        guard let route = IngressRoute(target: head.uri) else {
            throw refusal(
                404, "unknown-path", "expected one of \(IngressRoute.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard head.method == .POST else {
            throw refusal(405, "bad-method", "found \(head.method), expected POST")
        }
        if let type = head.headers.first(name: "content-type") {
            let mediaType = type.prefix { $0 != ";" && $0 != " " }.lowercased()
            guard mediaType == "application/json" else {
                throw refusal(415, "bad-media-type", "expected Content-Type: application/json")
            }
        }
        if let length = lengths.first {
            guard let count = Int(length), count <= limits.bodyBytes else {
                throw refusal(
                    413, "body-too-long",
                    "the body is longer than \(limits.bodyBytes) bytes; a postback has about 500")
            }
        }
        return route
    }

    private static func refusal(_ status: Int, _ reason: String, _ detail: String) -> Refusal {
        Refusal(answer: .refusal(status, reason, detail, closes: true))
    }
}
