import NIOHTTP1

/// What the ingress needs to know of one request head, read in one pass over its fields.
struct IngressHead {
    let method: HTTPMethod
    let route: IngressRoute?
    /// Whether the version is HTTP/1.0.
    let isLegacy: Bool
    private(set) var keepsAlive: Bool
    /// Whether the client waits for `100 Continue`.
    private(set) var expectsContinue = false
    /// The declared length; 0 without one.
    private(set) var declaredBytes = 0
    private(set) var isChunked = false
    /// The values of the field trusted proxies write.
    private(set) var forwarded: [String] = []
    /// The first thing found wrong.
    private(set) var refusal: IngressRefusal?

    /// Reads and checks a head.
    ///
    /// What endangers the framing of the connection is looked at before what merely cannot be served.
    ///
    /// - Parameters:
    ///   - head: The head as decoded; the decoder has refused what is not HTTP at all.
    ///   - limits: The bounds.
    ///   - forwarding: The field to collect, when the peer is a trusted proxy.
    init(_ head: HTTPRequestHead, limits: IngressLimits, forwarding: ForwardingField?) {
        method = head.method
        isLegacy = head.version.major == 1 && head.version.minor == 0
        keepsAlive = !isLegacy
        let target = head.uri
        route = IngressRoute(requestTarget: target)

        var host: String?
        var mediaType: String?
        var hosts = 0
        var lengths = 0
        var codings = 0
        var types = 0
        var coding = ""
        var expectation = ""
        var asksClose = false
        var asksUpgrade = method == .CONNECT
        for (name, value) in head.headers {
            switch name.utf8.count {
            case 4 where name.isField("host"):
                hosts += 1
                host = value
            case 6 where name.isField("expect"):
                expectation = value
            case 7 where name.isField("upgrade"):
                asksUpgrade = true
            case 10 where name.isField("connection"):
                value.forEachListMember { member in
                    if member.isField("close") { asksClose = true }
                    if member.isField("keep-alive") { keepsAlive = true }
                    if member.isField("upgrade") { asksUpgrade = true }
                }
            case 12 where name.isField("content-type"):
                types += 1
                mediaType = value
            case 14 where name.isField("content-length"):
                lengths += 1
                declaredBytes = Int(value) ?? Int.max
            case 17 where name.isField("transfer-encoding"):
                codings += 1
                coding = value
            default:
                break
            }
            if let forwarding, name.isField(forwarding.rawValue) { forwarded.append(value) }
        }
        isChunked = codings > 0
        // The decoder takes bytes after an upgrade for another protocol; none is spoken here, so the connection ends.
        if asksClose || asksUpgrade { keepsAlive = false }

        if lengths > 1 || (lengths > 0 && codings > 0) || (isLegacy && codings > 0) {
            refusal = .ambiguousLength
        } else if codings > 1 || (codings == 1 && !coding.isField("chunked")) {
            refusal = .unsupportedTransferCoding(coding)
        } else if target.utf8.count > limits.targetBytes {
            refusal = .targetTooLong(limit: limits.targetBytes)
        } else if hosts > 1 {
            refusal = .repeatedHost
        } else if hosts == 0 && !isLegacy {
            refusal = .missingHost
        } else if let host, !Self.isHost(host) {
            refusal = .invalidHost(host)
        } else if declaredBytes > limits.bodyBytes {
            refusal = .bodyTooLarge(limit: limits.bodyBytes)
        } else if !expectation.isEmpty && !isLegacy && !expectation.isField("100-continue") {
            refusal = .unsupportedExpectation(expectation)
        } else if route == nil {
            refusal = .notFound(target: target)
        } else if method != .POST {
            refusal = .methodNotAllowed(method.rawValue)
        } else if let mediaType, types > 1 || !mediaType.isJSONMediaType {
            refusal = .unsupportedMediaType(mediaType)
        }
        expectsContinue = !expectation.isEmpty && !isLegacy && (isChunked || declaredBytes > 0)
    }

    /// Whether a Host value could be a host name or address with an optional port.
    ///
    /// Refuses the characters with which one value can mean different hosts to different readers.
    private static func isHost(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["),
                    UInt8(ascii: "]"), UInt8(ascii: "%"), UInt8(ascii: "~"):
                    true
                default:
                    false
                }
            }
    }
}
