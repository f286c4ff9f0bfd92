package import Attribution
import AttributionListener
package import AttributionSigning
import Foundation
import StrictJSON

/// Simulates a device with a web ad: taps the link, checks the payload, installs the app, and sends the
/// postback of the first window.
///
/// The postback is sent at once, not after one to two days, and has the domain, as at the highest data
/// tier.
package struct WebAdDevice: Sendable {
    /// Nobody was there to answer, or nobody this machine trusts: the next tap would fare no better.
    package struct Unreachable: Error {
        /// Where.
        package let url: String
        /// What the system says.
        package let reason: String
    }

    private let sourceDomain: String
    private let networkKey: SignaturePublicKey

    package init(sourceDomain: String, networkKey: SignaturePublicKey) {
        self.sourceDomain = sourceDomain
        self.networkKey = networkKey
    }

    package func tap(_ link: WebAdPageLink, at origin: String? = nil) async throws(Unreachable) -> WebAdVisit {
        let request = JSONText.object([
            "source_engagement_type": .string(WebAdTap.engagement),
            "source_domain": .string(sourceDomain),
            "source_nonce": .string(link.attributionSourceNonce),
            "version": .string(WebAdTap.version.rawValue),
        ])
        var visit = WebAdVisit()
        let url = (origin ?? link.attributionDestination) + AttributionDestination.path
        do {
            let answer = try await DeliveryClient().post(Array(request.line.utf8), to: url)
            guard answer.status == 200 else {
                visit.problems = ["the tap was answered \(answer.status), expected 200: \(Self.words(answer.body))"]
                return visit
            }
            do throws(JSONError) {
                var reader = try WebAdPayloadReader(answer.body)
                visit.impression = reader.impression(
                    link, sourceDomain: sourceDomain, key: networkKey,
                    now: Int64(Date().timeIntervalSince1970 * 1000))
                visit.problems = reader.problems.map(\.description)
            } catch {
                visit.problems = [
                    "the tap was answered 200, expected a payload: \(error): \(Self.words(answer.body))"
                ]
            }
        } catch {
            try Self.check(error, url)
            visit.problems = ["the tap was not answered: \(Self.message(error))"]
        }
        return visit
    }

    /// Installs the app and sends the postback, if the tap resulted in an impression.
    package func install(
        _ visit: WebAdVisit, standIn: AppleStandIn, postbackURL url: String
    ) async throws(Unreachable) -> WebAdVisit {
        guard let impression = visit.impression, let draft = Self.postback(of: impression) else {
            return visit
        }
        var visit = visit
        do {
            let answer = try await DeliveryClient().post(try standIn.sign(draft), to: url)
            if case .string(let verdict) = (try? JSONObject(reading: answer.body))?["status"], answer.status == 200 {
                visit.postbackStatus = verdict
            }
            if visit.postbackStatus != Recording.Status.recorded.rawValue {
                visit.problems.append(
                    "the postback was answered \(answer.status), expected 200 and recorded: \(Self.words(answer.body))")
            }
        } catch {
            try Self.check(error, url)
            visit.problems.append("the postback was not answered: \(Self.message(error))")
        }
        return visit
    }

    private static func check(_ error: any Error, _ url: String) throws(Unreachable) {
        if DeliveryClient.isUnreachable(error) || DeliveryClient.isDistrusted(error) {
            throw Unreachable(url: url, reason: DeliveryClient.reason(error))
        }
    }

    /// An answer as text without control characters, which a stranger's server may send to a terminal.
    private static func words(_ body: [UInt8]) -> String {
        String(decoding: body, as: UTF8.self).trimmingCharacters(in: .newlines).shortened(to: 2_000)
    }

    /// The message of a known error, or why nothing was answered.
    private static func message(_ error: any Error) -> String {
        (error as? any CodedError)?.message ?? DeliveryClient.reason(error)
    }

    /// The first window's postback of a winner; nil for an ad of another form.
    private static func postback(of impression: SKAdNetworkImpression) -> PostbackDraft? {
        guard case .domain(let domain) = impression.source, case .sourceIdentifier(let number) = impression.campaign
        else {
            return nil
        }
        let digits = String(number.value)
        var draft = PostbackDraft([])
        draft[.version] = .string(impression.version.rawValue)
        draft[.adNetworkID] = .string(impression.adNetworkID.text)
        draft[.sourceIdentifier] = .string(String(repeating: "0", count: 4 - digits.count) + digits)
        draft[.appID] = .integer(impression.itunesItemID.value)
        draft[.transactionID] = .string(UUID().uuidString.lowercased())
        draft[.redownload] = .bool(false)
        draft[.sourceDomain] = .string(domain.text)
        draft[.fidelityType] = .integer(FidelityType.storeKitRendered.rawValue)
        draft[.didWin] = .bool(true)
        draft[.sequenceIndex] = .integer(0)
        draft[.conversionValue] = .integer(Int64.random(in: Conversion.fineRange))
        return draft
    }
}

/// The result of tapping a web ad.
package struct WebAdVisit: Sendable {
    /// The impression that the device stores; nil if it dropped the payload or got none.
    package var impression: SKAdNetworkImpression?
    /// `status` of the answer to the postback; nil if none was sent or answered.
    package var postbackStatus: String?
    /// Messages for everything that is wrong.
    package var problems: [String] = []
}
