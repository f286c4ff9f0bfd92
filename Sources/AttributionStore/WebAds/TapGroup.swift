package import Attribution

/// A tap on a web ad, and when it was received.
package struct ReceivedTap: Hashable, Sendable {
    /// The device's request.
    package let tap: WebAdTap
    /// When it was received; the payload's timestamp.
    package let receivedAt: UnixMilliseconds

    package init(_ tap: WebAdTap, at receivedAt: UnixMilliseconds) {
        self.tap = tap
        self.receivedAt = receivedAt
    }
}

/// What a ledger answers to a tap.
package enum TapAnswer: Sendable {
    /// The impression; its nonce is used up on disk.
    case signed(SignedSKAdNetworkImpression)
    /// The tap is refused.
    case refused(WebAdRefusal)
    /// No signature could be made; the nonce is still unused.
    case unsigned(any Error)
}

/// The taps of one transaction: decides each from what the store has of its ad, and has them signed together.
///
/// The store must keep others from using up the nonces from the moment it reads them until its commit.
package struct TapGroup: Sendable {
    /// Signs impressions, and returns a result for each, in the same order.
    package typealias Sign = ([SKAdNetworkImpression]) -> [Result<SignedSKAdNetworkImpression, any Error>]

    /// What a store has of the ad of a tap.
    package enum StoredAd: Sendable {
        /// The tap may be answered.
        case usable(WebAdContent)
        /// It is refused.
        case refused(WebAdRefusal)
        /// The row holds impossible values.
        case damaged(path: String)

        /// An ad that may be answered.
        package init(usable adNetworkID: String, _ itunesItemID: Int64, _ sourceIdentifier: Int64, path: String) {
            do {
                self = .usable(
                    try WebAdContent(
                        adNetworkID: adNetworkID, itunesItemID: itunesItemID, sourceIdentifier: sourceIdentifier))
            } catch {
                self = .damaged(path: path)
            }
        }
    }

    private let taps: [ReceivedTap]
    private var impressions: [(index: Int, impression: SKAdNetworkImpression)] = []
    /// Taps whose nonce an earlier one of this group may use up.
    private var repeats: [(index: Int, first: Int)] = []
    /// The answers, in the order of the taps; complete after ``sign(with:)``.
    package private(set) var answers: [TapAnswer]

    /// Decides taps.
    package init(_ taps: [ReceivedTap], stored: (ReceivedTap) throws -> StoredAd) rethrows {
        self.taps = taps
        answers = Array(repeating: .refused(.nonceUnknown), count: taps.count)
        var firsts: [Nonce: Int] = [:]
        for (index, received) in taps.enumerated() {
            let tap = received.tap
            if let first = firsts[tap.nonce] {
                repeats.append((index, first))
                continue
            }
            switch try stored(received) {
            case .refused(let refusal): answers[index] = .refused(refusal)
            case .damaged(let path): answers[index] = .unsigned(StoreError.failed(path: path, .damaged))
            case .usable(let content):
                do {
                    let impression = try content.impression(
                        nonce: tap.nonce, sourceDomain: tap.sourceDomain, at: received.receivedAt)
                    impressions.append((index, impression))
                    firsts[tap.nonce] = index
                } catch {
                    answers[index] = .unsigned(error)
                }
            }
        }
    }

    /// Has the taps signed that may be answered.
    package mutating func sign(with sign: Sign) {
        guard !impressions.isEmpty else {
            return
        }
        for ((index, _), result) in zip(impressions, sign(impressions.map(\.impression))) {
            switch result {
            case .success(let signed): answers[index] = .signed(signed)
            case .failure(let error): answers[index] = .unsigned(error)
            }
        }
        for (index, first) in repeats {
            if case .signed = answers[first] {
                answers[index] = .refused(.nonceUsed)
            } else {
                answers[index] = answers[first]
            }
        }
    }

    /// The taps whose nonces must be used up before ``answers`` are given; each nonce once.
    package var signed: [ReceivedTap] {
        zip(taps, answers).compactMap { tap, answer in
            if case .signed = answer { tap } else { nil }
        }
    }
}
