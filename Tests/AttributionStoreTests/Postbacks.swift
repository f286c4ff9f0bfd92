import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON

/// Postbacks signed with a test key in Apple's place, judged and ready to be recorded.
struct Postbacks {
    let standIn: AppleStandIn
    let verifier: PostbackVerifier

    init() throws {
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
    }

    /// 2026-11-21 12:00 UTC.
    static let noon: Int64 = 1_795_262_400_000

    func draft(id: String, network: String = "n.skadnetwork", index: Int64 = 0) -> PostbackDraft {
        var draft = PostbackDraft([])
        draft[.version] = .string("4.0")
        draft[.adNetworkID] = .string(network)
        draft[.sourceIdentifier] = .string("39")
        draft[.appID] = .integer(525_463_029)
        draft[.transactionID] = .string(id)
        draft[.redownload] = .bool(false)
        draft[.fidelityType] = .integer(1)
        draft[.didWin] = .bool(true)
        draft[.sequenceIndex] = .integer(index)
        return draft
    }

    func delivery(_ body: [UInt8], at time: Int64 = Postbacks.noon) -> Delivery {
        Delivery(judgement: verifier.judge(body), recipient: .network, receivedAtMilliseconds: time)
    }

    func delivery(_ draft: PostbackDraft, at time: Int64 = Postbacks.noon) throws -> Delivery {
        delivery(try standIn.sign(draft), at: time)
    }

    /// A published postback under Apple's own key.
    func genuine(at time: Int64 = Postbacks.noon) throws -> Delivery {
        delivery(try AppleSignedPostback.all()[3].body, at: time)
    }
}

/// A store in a temporary folder, removed at the end.
final class TemporaryStore: Sendable {
    let path: String

    init() throws {
        let folder = NSTemporaryDirectory() + "skan-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = folder + "/skan.sqlite"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Repairs the store, which nobody has open.
    func repair(by verifier: PostbackVerifier) async throws -> RecountRepair {
        try await LedgerRepair.repair(path: path) { verifier.judge($0) }
    }
}
