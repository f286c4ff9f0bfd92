import AttributionHarness
import AttributionIngest
import AttributionListener
import AttributionServer
import Foundation
import StrictJSON

/// What became of a delivery that was forwarded to another server.
struct ForwardedDelivery {
    private let url: String
    private let result: Result<DeliveryClient.Answer, Failure>

    /// Why there is no answer.
    private struct Failure: Error {
        let reason: String
    }

    /// Forwards a delivery.
    init(_ body: [UInt8], to url: String) async {
        self.url = url
        do {
            result = .success(try await DeliveryClient().post(body, to: url))
        } catch {
            result = .failure(Failure(reason: DeliveryClient.reason(error)))
        }
    }

    /// The answer for the client: that of the other server, or else that it must come again.
    var answer: IngressAnswer {
        switch result {
        case .success(let answer):
            IngressAnswer(
                status: answer.status, body: answer.body, retryAfter: Self.seconds(answer).map { .seconds($0) })
        case .failure: IngressAnswer(.storeFailed)
        }
    }

    /// For example `forwarded, answered 200 quarantined invalid-signature`.
    var text: String {
        switch result {
        case .success(let answer):
            let words = [Self.text("status", of: answer), Self.text("reason", of: answer)].compactMap { $0 }
            return "forwarded, answered " + ([String(answer.status)] + words).joined(separator: " ")
        case .failure(let failure): return "not forwarded: \(failure.reason)"
        }
    }

    /// Where it was forwarded to, and what was answered or why nothing was.
    var json: JSONText {
        switch result {
        case .success(let answer):
            var members: [(String, JSONText)] = [
                ("url", .string(url)), ("http-status", .integer(Int64(answer.status))),
                ("status", Self.text("status", of: answer).map { .string($0) } ?? .null),
                ("reason", Self.text("reason", of: answer).map { .string($0) } ?? .null),
            ]
            if let seconds = Self.seconds(answer) {
                members.append(("retry-after", .integer(seconds)))
            }
            return .object(members)
        case .failure(let failure):
            return .object([("url", .string(url)), ("error", .string(failure.reason))])
        }
    }

    /// The value of Retry-After, when it is in seconds.
    private static func seconds(_ answer: DeliveryClient.Answer) -> Int64? {
        answer.field("retry-after").flatMap { Int64($0) }.flatMap { (0...31_536_000).contains($0) ? $0 : nil }
    }

    private static func text(_ name: String, of answer: DeliveryClient.Answer) -> String? {
        guard case .string(let text)? = (try? JSONObject(reading: answer.body))?[name] else {
            return nil
        }
        return text.shortened(to: 40)
    }
}
