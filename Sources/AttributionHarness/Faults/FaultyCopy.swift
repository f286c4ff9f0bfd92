import Attribution
import StrictJSON

/// A further copy of a genuine postback, and what a server must answer it.
package struct FaultyCopy: Sendable {
    /// The bytes.
    package let body: [UInt8]
    /// What a server must answer.
    package let expectation: PlannedDelivery.Expectation
    /// How it is sent.
    package let transport: PlannedDelivery.Transport

    init(
        _ body: [UInt8],
        _ expectation: PlannedDelivery.Expectation,
        transport: PlannedDelivery.Transport = .whole
    ) {
        self.body = body
        self.expectation = expectation
        self.transport = transport
    }
}

extension Fault {
    /// Makes the copy a fault sends beside a genuine postback.
    ///
    /// - Parameters:
    ///   - genuine: The genuine body, which was recorded.
    ///   - stranger: Signs with keys nobody trusts.
    ///   - generator: Draws what is chance.
    /// - Returns: The copy; nil for a delay, and for a fault that such a postback cannot have.
    /// - Throws: What OpenSSL reports, and ``Attribution/PostbackRejection`` for a body that is not genuine.
    package func copy(
        of genuine: [UInt8],
        stranger: AppleStandIn,
        using generator: inout SeededGenerator
    ) throws -> FaultyCopy? {
        switch self {
        case .reordered, .delayed:
            return nil
        case .repeated:
            return FaultyCopy(genuine, .durable(.duplicate, nil))
        case .slowBody:
            return FaultyCopy(genuine, .durable(.duplicate, nil), transport: .inPieces)
        case .cutConnection:
            return FaultyCopy(genuine, .none, transport: .cut)
        case .byteOrderMark:
            return FaultyCopy([0xEF, 0xBB, 0xBF] + genuine, .refused)
        case .truncated:
            return FaultyCopy(Array(genuine.dropLast(Int.random(in: 1..<20, using: &generator))), .refused)
        case .duplicateName:
            // Which of the two counts would be a guess, and the object may yet be a postback somebody spoiled.
            let twice = Array("{\"conversion-value\":0,\"conversion-value\":63,".utf8)
            return FaultyCopy(twice + genuine.dropFirst(), .durable(.quarantined, .malformed))
        case .escapedSlashes:
            let escaped = genuine.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
            return FaultyCopy(escaped, .durable(.duplicate, nil))
        case .development:
            return try Self.developmentPostback()
        case .tampered, .movedValue:
            return tampering(with: try ReceivedPostback(reading: genuine), using: &generator)
        default:
            switch TrafficDraft(try ReceivedPostback(reading: genuine)) {
            case .skAdNetwork(let draft): return try copy(of: draft, signedAs: genuine, stranger)
            case .adAttributionKit(let draft): return try copy(of: draft, signedAs: genuine, stranger)
            }
        }
    }

    /// What Apple's development key signed, the only such postback that is published.
    private static func developmentPostback() throws -> FaultyCopy? {
        let sample = try AppleSignedPostback.all().first { $0.name.contains("development") }
        return sample.map { FaultyCopy($0.body, .durable(.recorded, nil)) }
    }

    /// One of the changes of ``Tampering`` whose answer Apple's signature decides.
    private func tampering(
        with postback: ReceivedPostback,
        using generator: inout SeededGenerator
    ) -> FaultyCopy? {
        let changes =
            self == .tampered
            ? Tampering.changes(of: postback)
            : Tampering.moves(of: postback).filter {
                $0.change == "swapped with transaction-id" && $0.field == .adNetworkID
                    || $0.change == "swapped with postback-identifier inside the payload"
                        && $0.field == .adNetworkIdentifier
            }
        return changes.randomElement(using: &generator).map {
            FaultyCopy($0.body, .durable(.quarantined, .invalidSignature))
        }
    }
}
