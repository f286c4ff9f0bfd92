/// What the ingress needs to know about one request head, collected line by line.
///
/// Takes lines that are already known to be well formed, and decides whether the request can be served.
package struct IngressHead {
    package let method: IngressMethod
    package let route: IngressRoute?
    /// Whether the version is HTTP/1.0.
    package let isLegacy: Bool
    package private(set) var keepsAlive: Bool
    /// Whether the client waits for `100 Continue`.
    package private(set) var expectsContinue = false
    /// The declared length; 0 without one.
    package private(set) var declaredBytes = 0
    package var isChunked: Bool { codings > 0 }
    /// The values of the field trusted proxies write.
    package private(set) var forwarded: [String] = []
    /// The fields that its route is handed.
    package private(set) var fields = HeaderFields()
    /// Its path and query, where its route is handed them.
    package let target: RequestTarget?
    /// Why the request is refused, if it is.
    package private(set) var refusal: IngressRefusal?

    /// The methods that its path has, when this is none of them.
    private let allowed: String?
    /// The target as text, kept only when a refusal quotes it.
    private let unknownTarget: String
    private let isTargetTooLong: Bool
    private var hosts = 0
    private var invalidHost: String?
    private var lengths = 0
    private var codings = 0
    private var unknownCoding: String?
    private var types = 0
    private var mediaType = ""
    private var isExpectedType = true
    /// A coding of the body, such as gzip.
    private var contentCoding: String?
    private var expectation = Expectation.none
    private var asksClose = false

    /// Many times longer than any real client sends.
    private static let longestConnection = 256
    /// More than the digits of any length, with some leading zeros.
    private static let longestLength = 32

    private enum Expectation {
        case none
        case `continue`
        case unknown(String)
    }

    init(
        method: IngressMethod, target: UnsafeRawBufferPointer, routes: IngressRoutes, isLegacy: Bool,
        limits: IngressLimits
    ) {
        self.method = method
        self.isLegacy = isLegacy
        keepsAlive = !isLegacy
        (route, allowed) = routes.route(method, requestTarget: target)
        self.target = routes.keepsTargets ? RequestTarget(target) : nil
        isTargetTooLong = target.count > limits.targetBytes
        unknownTarget = route == nil && !isTargetTooLong ? target.beginning : ""
    }

    /// Takes one field.
    mutating func take(
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer,
        forwarding: ForwardingField?,
        keeping kept: [String]
    ) throws(IngressFault) {
        switch name.count {
        case 4 where name.isField("host"):
            hosts += 1
            if !Self.isHost(value) { invalidHost = value.beginning }
        case 6 where name.isField("expect"):
            if !value.isEmpty { expectation = value.isField("100-continue") ? .continue : .unknown(value.beginning) }
        case 7 where name.isField("upgrade"):
            // No other protocol is supported; the client may wait for one, so the connection ends.
            asksClose = true
        case 10 where name.isField("connection") && value.count > Self.longestConnection,
            16 where name.isField("proxy-connection") && value.count > Self.longestConnection:
            // Too long to be worth reading, and closing the connection is always a correct answer.
            asksClose = true
        case 10 where name.isField("connection"):
            value.forEachListMember { member in
                if member.isField("close") || member.isField("upgrade") { asksClose = true }
                if member.isField("keep-alive") { keepsAlive = true }
            }
        case 16 where name.isField("proxy-connection"):
            // Not standard, but other servers close the connection because of it, and then so must this one.
            value.forEachListMember { if $0.isField("close") { asksClose = true } }
        case 12 where name.isField("content-type"):
            types += 1
            if !value.isMediaType(route?.mediaType ?? .json) { isExpectedType = false }
            if types > 1 || !isExpectedType { mediaType = value.beginning }
        case 14 where name.isField("content-length"):
            lengths += 1
            declaredBytes = try Self.length(value)
        case 16 where name.isField("content-encoding"):
            if !value.isEmpty, !value.isField("identity") { contentCoding = value.beginning }
        case 17 where name.isField("transfer-encoding"):
            codings += 1
            if codings > 1 || !value.isField("chunked") { unknownCoding = value.beginning }
        default:
            break
        }
        if let forwarding, name.isField(named: forwarding.rawValue) { forwarded.append(value.text) }
        for field in kept where name.isField(named: field) { fields.append(field, value.text) }
    }

    /// Decides on the whole head.
    ///
    /// Faults that endanger the framing are checked before those that merely cannot be served.
    mutating func finish(routes: IngressRoutes, limits: IngressLimits) {
        if asksClose { keepsAlive = false }
        if lengths > 1 || (lengths > 0 && codings > 0) || (isLegacy && codings > 0) {
            refusal = .ambiguousLength
        } else if let unknownCoding {
            refusal = .unsupportedTransferCoding(unknownCoding)
        } else if isTargetTooLong {
            refusal = .targetTooLong(limit: limits.targetBytes)
        } else if hosts > 1 {
            refusal = .repeatedHost
        } else if hosts == 0 && !isLegacy {
            refusal = .missingHost
        } else if let invalidHost {
            refusal = .invalidHost(invalidHost)
        } else if declaredBytes > limits.bodyBytes {
            refusal = .bodyTooLarge(limit: limits.bodyBytes)
        } else if case .unknown(let text) = expectation, !isLegacy {
            refusal = .unsupportedExpectation(text)
        } else if route == nil {
            refusal = .notFound(target: unknownTarget, hint: routes.hint(for: unknownTarget))
        } else if let allowed {
            refusal = .methodNotAllowed(method.rawValue, allowed: allowed)
        } else if let contentCoding {
            refusal = .unsupportedContentCoding(contentCoding)
        } else if let expected = route?.mediaType,
            types > 1 || !isExpectedType || (types == 0 && routes.requireMediaType)
        {
            refusal = .unsupportedMediaType(mediaType, expected: expected)
        }
        if case .continue = expectation, !isLegacy { expectsContinue = isChunked || declaredBytes > 0 }
    }

    /// Reads a whole number, clamped to `Int.max`.
    private static func length(_ value: UnsafeRawBufferPointer) throws(IngressFault) -> Int {
        guard !value.isEmpty, value.count <= Self.longestLength else { throw .length }
        var length: UInt64 = 0
        for byte in value {
            let digit = byte &- UInt8(ascii: "0")
            let (tenfold, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit))
            guard digit < 10, !overflow, !carry else { throw .length }
            length = sum
        }
        return Int(clamping: length)
    }

    /// Whether a Host value could be a host name or address with an optional port.
    ///
    /// Refuses characters that let one value mean different hosts to different parsers.
    private static func isHost(_ value: UnsafeRawBufferPointer) -> Bool {
        !value.isEmpty && value.allSatisfy(IngressFraming.isHostByte)
    }
}
