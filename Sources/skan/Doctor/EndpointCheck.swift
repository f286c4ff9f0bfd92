import AttributionHarness
import AttributionListener
import AttributionServer
import Foundation
import Platform
import StrictJSON

/// A server, as devices meet it.
struct EndpointCheck {
    private let url: URLComponents
    private let text: String
    private let host: String

    /// Takes the address.
    init(_ text: String) throws {
        url = try URLComponents(server: text, option: "--url")
        let host = url.host ?? ""
        self.text = text
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    private var isLoopback: Bool {
        InternetAddress(host)?.isLoopback ?? (host == "localhost")
    }

    /// Checks the server, and returns how many of the forged postbacks it says it has kept.
    func run(_ note: (Finding) -> Void) async -> Int {
        if url.scheme?.lowercased() == "https" {
            let finding = await tls()
            note(finding)
            guard finding.level != .problem else {
                return 0
            }
        } else if isLoopback {
            note(
                .warning(
                    "scheme", "http works on this machine only",
                    cure: "give the https address that devices have"))
        } else {
            note(
                .problem(
                    "scheme", "http, but devices use https only",
                    cure: "give skan serve --tls-certificate and --tls-key, or a proxy that has TLS"))
        }
        var kept = 0
        var clock: Finding?
        for url in urls {
            let outcome = await delivery(to: url)
            note(outcome.finding)
            kept += outcome.isKept ? 1 : 0
            clock = clock ?? outcome.clock
            guard outcome.finding.subject != Self.connection else {
                break
            }
        }
        clock.map(note)
        return kept
    }

    /// Where to post: at the address itself if it has a path, otherwise at every path of devices.
    private var urls: [String] {
        guard url.path.isEmpty || url.path == "/" else {
            return [text]
        }
        let origin = text.hasSuffix("/") ? String(text.dropLast()) : text
        return PublicRoute.allCases.filter { $0 != .webAdPayload }.map { route in
            // Devices send developers' copies with a slash at the end.
            origin + route.path + (route.path.contains("report-attribution") ? "/" : "")
        }
    }

    private func tls() async -> Finding {
        do {
            let found = try await TLSProbe.run(host: host, port: url.port ?? 443)
            guard let end = found.end else {
                return .ok("TLS", "\(found.version), and this machine trusts the certificate")
            }
            let date = Date(timeIntervalSince1970: Double(end))
            let days = Int(date.timeIntervalSinceNow / 86_400)
            let words = "\(found.version), trusted here, ends \(date.formatted(.iso8601)) (in \(days) days)"
            return days < 14 ? .warning("TLS", words, cure: "renew the certificate") : .ok("TLS", words)
        } catch  where DeliveryClient.isUnreachable(error) {
            return Self.unreachable(text, error)
        } catch {
            return await failure(error)
        }
    }

    /// Why a device turns away from the server.
    private func failure(_ error: any Error) async -> Finding {
        func problem(_ text: String, cure: String) -> Finding { .problem("TLS", "\(host): \(text)", cure: cure) }
        let reason = DeliveryClient.reason(error)
        guard let found = try? await TLSProbe.inspect(host: host, port: url.port ?? 443) else {
            // Any certificate would have done.
            let isHandshake = if case HTTPClient.Failure.handshakeFailed = error { true } else { false }
            return problem(
                "no handshake: \(isHandshake ? "what answers there does not speak TLS as devices do" : reason)",
                cure: "check that this port speaks TLS, by version 1.2 or later, and not plain HTTP")
        }
        guard found.isModern else {
            return problem("it speaks TLS 1.0 or 1.1 only", cure: "allow TLS 1.2 or 1.3, which devices require")
        }
        let chain = CertificateChain(der: found.certificates)
        switch chain.verdict(for: host) {
        case .expired: return problem("a certificate has expired", cure: "renew it, and check that the server uses it")
        case .notYetValid: return problem("a certificate is not valid yet", cure: "check the clocks, or wait")
        case .wrongName:
            return problem("the certificate is for another name", cure: "serve a certificate for \(host)")
        case .selfSigned:
            return problem(
                "no public authority issued the certificate", cure: "serve a certificate of a public authority")
        case .unknownIssuer:
            let fault = chain.fault()
            return problem(
                fault?.message ?? "no authority that this machine knows issued the certificate",
                cure: fault?.hint ?? "serve the whole chain of a public authority")
        case .other(let text): return problem(text, cure: "serve the whole chain of a public authority, for this name")
        case .trusted: return problem("no handshake: \(reason)", cure: "try again; look at the server's log")
        }
    }

    private static let connection = "connection"
    /// How long all of an answer may take.
    private static let limit = Duration.seconds(10)

    private static func unreachable(_ url: String, _ error: any Error) -> Finding {
        .problem(
            connection, "no answer from \(url): \(DeliveryClient.reason(error))",
            cure: "check the address, the firewall, and that skan serve runs")
    }

    /// What came of one forged postback.
    private struct Outcome {
        let finding: Finding
        var isKept = false
        /// Of the clock, where the answer has a `Date`.
        var clock: Finding?
    }

    private func delivery(to url: String) async -> Outcome {
        let path = URLComponents(string: url)?.path ?? url
        let start = ContinuousClock.now
        let answer: DeliveryClient.Answer
        do {
            let body = try ForgedDelivery(id: "skan-doctor-\(UUID().uuidString.lowercased())").body
            answer = try await DeliveryClient().post(body, to: url, within: Self.limit)
        } catch {
            return Outcome(finding: Self.unreachable(url, error))
        }
        let now = Date()
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        let isKept = (try? JSONObject(reading: answer.body))?["kept"] == .bool(true)
        return Outcome(
            finding: judge(answer, "path \(path)", milliseconds), isKept: isKept,
            clock: Self.date(answer).map { ClockCheck.answer($0, at: now) })
    }

    private func judge(_ answer: DeliveryClient.Answer, _ subject: String, _ milliseconds: Int) -> Finding {
        let object = try? JSONObject(reading: answer.body)
        let isQuarantined =
            object?.isString("status", "quarantined") == true && object?.isString("reason", "invalid-signature") == true
        if answer.status == 200, isQuarantined {
            return milliseconds < 1_000
                ? .ok(subject, "200 quarantined invalid-signature in \(milliseconds) ms, as a forged postback must be")
                : .warning(
                    subject, "200 quarantined invalid-signature, but only after \(milliseconds) ms",
                    cure: "look at the disk and the load of the server: devices give up after a while")
        }
        var text = "answered \(answer.status)"
        let cure: String
        switch answer.status {
        case 200:
            text += ", but not by skan: a postback would be lost"
            cure = "let the proxy pass this path to skan serve"
        case 300..<400:
            text = "redirects (\(answer.status)) to \(answer.field("location")?.shortened(to: 80) ?? "nowhere")"
            cure = "answer here: a redirected POST arrives without its body, or not at all"
        case 401, 403: cure = "let everybody post: devices have no password"
        case 404, 405: cure = "let the proxy pass this path, as it is, or add it with skan serve --postback-path"
        case 413, 415, 431: cure = "allow bodies of 16 KiB of application/json in the proxy"
        case 502, 504: cure = "the proxy does not reach skan serve; start it, check its address"
        case 503:
            text += ": \(String(decoding: answer.body, as: UTF8.self).shortened(to: 120))"
            cure = "ask /readyz of the console for the reason"
        default: cure = "expected 200; look at the server's log"
        }
        return .problem(subject, text, cure: cure)
    }

    /// When a server answered, as far as its answer says.
    private static func date(_ answer: DeliveryClient.Answer) -> Date? {
        guard let text = answer.field("date") else {
            return nil
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter.date(from: text)
    }
}
