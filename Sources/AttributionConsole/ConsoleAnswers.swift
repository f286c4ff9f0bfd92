import Attribution
import AttributionExplaining
package import AttributionListener
import AttributionSigning
import AttributionStore
import Logging
import Platform
import StrictJSON

extension IngressRequest {
    /// The query as received; empty without one.
    var query: String {
        target?.query ?? ""
    }

    /// The parameters of the query, decoded; a plus sign is one, unlike in a form.
    var queryParameters: [(name: String, value: String)] {
        query.utf8.decodedPairs { $0.percentDecoded() }
    }

    /// The element of the path for which the route has braces.
    var name: String {
        target?.lastElement ?? ""
    }

    /// Whether the request names one media type, and this one.
    func hasMediaType(_ expected: IngressMediaType) -> Bool {
        let types = fields.values("content-type")
        return types.count == 1 && types.allSatisfy(expected.matches)
    }

    /// The body of a request whose route takes less than the listener.
    func body(upTo limit: Int) throws(Refusal) -> [UInt8] {
        guard body.count <= limit else {
            throw Refusal(.bodyTooLarge, "the body is larger than \(limit) bytes")
        }
        return body
    }
}

extension Collection<UInt8> {
    /// The names and values of a query or a form, in order; a value is empty without an equals sign.
    func decodedPairs(_ decoded: (SubSequence) -> String) -> [(name: String, value: String)] {
        split(separator: UInt8(ascii: "&")).map { pair in
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(sides[0]), sides.count > 1 ? decoded(sides[1]) : "")
        }
    }

    /// The text with its percent-encoded bytes decoded; bytes that are not UTF-8 become U+FFFD.
    func percentDecoded() -> String {
        var output: [UInt8] = []
        var rest = self[...]
        while let byte = rest.popFirst() {
            let digits = byte == UInt8(ascii: "%") ? rest.prefix(2).compactMap(Self.hexadecimalValue) : []
            if digits.count == 2 {
                output.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}

extension [(name: String, value: String)] {
    /// Refuses what would be silently ignored: another name, or a second value.
    func check(known: [String], repeatable: [String]) throws(FieldProblem) {
        for (index, parameter) in enumerated() {
            let name = parameter.name
            guard known.contains(name) else {
                throw FieldProblem(
                    field: name.shortened(to: 40), found: "an unknown parameter",
                    expected: known.joined(separator: ", ") + known.suggestion(for: name))
            }
            guard repeatable.contains(name) || !self[..<index].contains(where: { $0.name == name }) else {
                throw FieldProblem(field: name, found: "more than one value", expected: "one")
            }
        }
    }
}

extension IngressAnswer {
    /// An answer with a text, not to be cached.
    static func text(_ mediaType: String, _ body: String, status: Int = 200) -> IngressAnswer {
        var answer = IngressAnswer(status: status, body: Array(body.utf8), mediaType: mediaType)
        answer.set("Cache-Control", "no-store")
        return answer
    }

    /// An answer with a JSON object on one line.
    static func json(_ body: JSONText, status: Int = 200) -> IngressAnswer {
        text("application/json", body.line + "\n", status: status)
    }

    /// An answer that says why a request is refused.
    static func refusing(_ error: some CodedError) -> IngressAnswer {
        var answer = IngressAnswer(refusing: error)
        answer.set("Cache-Control", "no-store")
        return answer
    }

    init(_ refusal: AccessRefusal) {
        self = .refusing(refusal)
        if let challenge = refusal.challenge {
            set("WWW-Authenticate", challenge)
        }
    }
}

extension IngressLimits {
    /// The bounds of the console.
    package static var console: IngressLimits {
        var limits = IngressLimits()
        // The largest body is an impression to check.
        limits.bodyBytes = ImpressionExplainer.limit
        // Conditions of a report are part of its target.
        limits.targetBytes = limits.headBytes
        limits.connections = 1_024
        // More than a cluster's probes and metrics collectors need.
        limits.reservedConnections = 16
        // Every route ends by itself: reports after 30 s once they are counted, a repair after some minutes.
        limits.answerDeadline = .seconds(86_400)
        // The listeners that stop before it may need 4 of the 4.8 seconds a stop may take, and the store is closed
        // after it. After this one a client may pause for 200 ms, which are checked every 125 ms.
        limits.stopDeadline = .milliseconds(300)
        limits.finishesAnswers = true
        return limits
    }

    /// The bounds of the socket beside a store.
    ///
    /// All connections are from one user, so a bound per address would not help.
    static var consoleSocket: IngressLimits {
        var limits = console
        limits.bodyBytes = ConsoleSocket.bodyLimit
        limits.connections = 64
        // It stops after the console; its clients are commands on this machine.
        limits.stopDeadline = .milliseconds(100)
        return limits
    }
}

/// Answers the errors of a group of routes, and logs those an operator has to fix.
struct RouteFailures: Sendable {
    private let log: FailureLog
    private let unexpected: Refusal

    init(_ message: Logger.Message, unexpected: Refusal, logger: Logger) {
        log = FailureLog(message, logger: logger)
        self.unexpected = unexpected
    }

    /// Logs something that did not keep a request from being answered.
    func note(_ reason: String) {
        log.note(reason)
    }

    /// The answer to a request that ended in an error.
    func answer(to error: any Error, in context: ConsoleContext = ConsoleContext()) -> IngressAnswer {
        .refusing(refusal(for: error, in: context))
    }

    /// What a client is told of an error, which is logged if an operator has to fix it.
    func refusal(for error: any Error, in context: ConsoleContext = ConsoleContext()) -> any CodedError {
        switch error {
        case is CancellationError:
            // Read by a client that only ended its sending, if by any.
            return Refusal(
                .cancelled, "the client closed the connection, or its side of it, before the answer was made",
                hint: "keep the connection open until the answer has come")
        case let error as StoreError:
            // Clients get one code for every failure of the store.
            log.note(error)
            // Where the store is concerns all apps.
            return context.isLimitedToApps
                ? Refusal.storeFailed : Refusal(.storeFailed, error.message, hint: error.hint)
        case let error as any CodedError:
            if error.code == unexpected.code {
                log.note(error)
            }
            return error
        default:
            log.note(error)
            return unexpected
        }
    }
}
