import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("What a server must answer to each fault")
struct FaultTests {
    private let standIn: AppleStandIn
    private let stranger: AppleStandIn
    private let verifier: PostbackVerifier

    init() throws {
        standIn = try AppleStandIn()
        stranger = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
    }

    /// What each fault must be answered, version by version where they differ; nil for a fault that makes no copy.
    enum Answer: Equatable {
        case verified
        case quarantined(PostbackRejection.Code)
        case refused
        case nothing
    }

    /// The answers of 1.0, 2.0, 2.1, 2.2, 3.0, 4.0 and AdAttributionKit; a row of one answer is for all.
    static let rows: [(Fault, [Answer?])] = [
        (.repeated, [.verified]), (.reordered, [nil]), (.delayed, [nil]), (.cutConnection, [.nothing]),
        (.slowBody, [.verified]), (.tampered, [.quarantined(.invalidSignature)]),
        (.movedValue, [.quarantined(.invalidSignature)]), (.raisedConversion, [.verified]),
        (.wrongKey, [.quarantined(.invalidSignature)]),
        (
            .versionUp,
            [
                .quarantined(.invalidSignature), .quarantined(.invalidSignature), .quarantined(.malformed),
                .quarantined(.malformed), .quarantined(.malformed), .quarantined(.unknownVersion),
                .quarantined(.unknownKey),
            ]
        ),
        (
            .versionDown,
            [
                .quarantined(.unknownVersion), .quarantined(.invalidSignature), .quarantined(.invalidSignature),
                .quarantined(.invalidSignature), .quarantined(.invalidSignature), .quarantined(.malformed),
                .quarantined(.invalidSignature),
            ]
        ),
        (.letterCase, [.quarantined(.invalidSignature)]),
        // 1.0 has no source app to fill in.
        (.zeroFilled, [nil] + Array(repeating: .quarantined(.invalidSignature), count: 6)),
        (.retypedNumber, [.quarantined(.malformed)]),
        // 1.0 does not sign redownload, so no type of it costs an install.
        (.retypedBoolean, [nil] + Array(repeating: .quarantined(.malformed), count: 6)),
        (.escapedSlashes, [.verified]), (.padding, [.quarantined(.malformed)]),
        (.otherAlphabet, [.quarantined(.malformed)]), (.byteOrderMark, [.refused]),
        (.duplicateName, [.quarantined(.malformed)]),
        (.separator, [.quarantined(.malformed)]), (.truncated, [.refused]), (.development, [.verified]),
    ]

    @Test("Every fault has its row")
    func complete() {
        #expect(Self.rows.map(\.0) == Fault.allCases)
    }

    @Test("Each version is judged as the plan says, and as the row says", arguments: rows)
    func answers(_ fault: Fault, _ answers: [Answer?]) throws {
        for version in AttributionVersion.allCases {
            let expected = answers.count == 1 ? answers[0] : answers[Int(version.rawValue)]
            var generator = SeededGenerator(seed: 7)
            var copies = 0
            // Signatures differ, and not each has what a fault changes.
            for _ in 0..<4 {
                let body = try SimulatedBodies.body(version, signedBy: standIn)
                guard let copy = try fault.copy(of: body, stranger: stranger, using: &generator) else {
                    continue
                }
                copies += 1
                let judged = judged(copy)
                #expect(judged == expected, "\(version.name)")
                #expect(judged == planned(copy), "\(version.name)")
            }
            #expect((copies > 0) == (expected != nil), "\(version.name)")
        }
    }

    private func judged(_ copy: FaultyCopy) -> Answer {
        guard copy.transport != .cut else {
            return .nothing
        }
        return switch verifier.judge(copy.body) {
        case .verified: .verified
        case .rejected(.notJSON, _): .refused
        case .rejected(let rejection, _): .quarantined(rejection.code)
        case .undecided: .nothing
        }
    }

    private func planned(_ copy: FaultyCopy) -> Answer {
        switch copy.expectation {
        case .durable(.quarantined, let reason?): .quarantined(reason)
        case .durable: .verified
        case .refused: .refused
        case .none: .nothing
        }
    }

    @Test(
        "A raised value differs from the genuine one, and nothing signed does", arguments: AttributionVersion.allCases)
    func raised(_ version: AttributionVersion) throws {
        var generator = SeededGenerator(seed: 1)
        let body = try SimulatedBodies.body(version, signedBy: standIn)
        let copy = try #require(
            try Fault.raisedConversion.copy(of: body, stranger: stranger, using: &generator))
        let (genuine, raised) = (try ReceivedPostback(reading: body), try ReceivedPostback(reading: copy.body))
        #expect(genuine.key == raised.key)
        #expect(genuine.conversion != raised.conversion)
        #expect(copy.expectation == .durable(.conflict, nil))
    }
}
