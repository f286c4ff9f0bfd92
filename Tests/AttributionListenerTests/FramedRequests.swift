import AttributionListener
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// What a reader made of the bytes of one connection: the complete requests, and whether it refused what followed.
struct FramedRequests {
    struct Request: Equatable {
        let method: String
        let route: IngressRoute?
        let isLegacy: Bool
        let forwarded: [String]
        var body: [UInt8] = []
    }

    var requests: [Request] = []
    var refusal: IngressRefusal?
    var isRefused = false

    /// Reads with the ingress' own framing, as its connections do.
    init(ownFramingOf pieces: [[UInt8]]) {
        var framing = IngressFraming(routes: Post.routes, limits: IngressLimits(), forwarding: .xForwardedFor)
        var unread: [UInt8] = []
        var body: [UInt8] = []
        for piece in pieces {
            unread += piece
            reading: while true {
                var consumed = 0
                let event = unread.withUnsafeBytes { framing.next(in: $0, consumed: &consumed) }
                let taken = Array(unread.prefix(consumed))
                unread.removeFirst(consumed)
                switch event {
                case .unfinished:
                    break reading
                case .head:
                    if let refusal = framing.head?.refusal, !refusal.isAboutOneRequest {
                        refuse(refusal)
                        return
                    }
                case .body(let count):
                    body += taken.suffix(count)
                case .end:
                    guard let head = framing.head else {
                        refuse(nil)
                        return
                    }
                    requests.append(
                        Request(
                            method: head.method.rawValue, route: head.route, isLegacy: head.isLegacy,
                            forwarded: head.forwarded, body: body))
                    body = []
                    if !head.keepsAlive { return }
                case .refused(let refusal):
                    refuse(refusal)
                    return
                }
            }
        }
    }

    /// Reads with NIO's decoder.
    init(decodedByNIO pieces: [[UInt8]]) {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1024
        limits.maxHeaderListSize = 16 * 1024
        limits.maxHeaderFieldCount = 64
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(decoder))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        var current: Request?
        for piece in pieces where !isRefused {
            do { try channel.writeInbound(ByteBuffer(bytes: piece)) } catch { isRefused = true }
            while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
                switch part {
                case .head(let head):
                    current = Request(
                        method: head.method.rawValue, route: Post.routes.route(requestTarget: head.uri),
                        isLegacy: head.version == .http1_0,
                        forwarded: head.headers["x-forwarded-for"].map(Self.withoutBlanksAtEnds))
                case .body(let bytes):
                    current?.body += Array(bytes.readableBytesView)
                case .end:
                    if let request = current { requests.append(request) }
                    current = nil
                }
            }
        }
    }

    /// NIO leaves tabs at the end of a value.
    private static func withoutBlanksAtEnds(_ value: String) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    private mutating func refuse(_ refusal: IngressRefusal?) {
        isRefused = true
        self.refusal = refusal
    }
}

extension IngressRefusal {
    /// Whether the connection continues after the refused request.
    fileprivate var isAboutOneRequest: Bool {
        switch self {
        case .notFound, .methodNotAllowed, .unsupportedMediaType, .unsupportedContentCoding: true
        default: false
        }
    }
}
