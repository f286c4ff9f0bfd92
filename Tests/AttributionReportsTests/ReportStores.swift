import Attribution
import AttributionHarness
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON

/// Stores of a test, removed with it.
final class ReportStores: Sendable {
    private let folder: URL

    /// 2026-11-20 23:30 UTC and 2026-11-21 00:30 UTC.
    static let night: [Int64] = [1_795_217_400_000, 1_795_221_000_000]

    init() throws {
        folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("skan-report-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A ledger with a postback at each of some moments.
    func reporter(at times: [Int64], _ change: (inout PostbackDraft, Int) -> Void = { _, _ in }) throws -> Reporter {
        let path = folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let standIn = try AppleStandIn()
        let verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        let ledger = try SQLiteLedgerWriter(path: path)
        let deliveries = try times.enumerated().map { index, time in
            var draft = PostbackDraft([])
            draft[.version] = .string("3.0")
            draft[.adNetworkID] = .string("n.skadnetwork")
            draft[.campaignID] = .integer(Int64(index + 9))
            draft[.appID] = .integer(525_463_029)
            draft[.transactionID] = .string("t\(index)")
            draft[.redownload] = .bool(false)
            draft[.fidelityType] = .integer(1)
            draft[.didWin] = .bool(true)
            change(&draft, index)
            return Delivery(
                judgement: verifier.judge(try standIn.sign(draft)), recipient: .network, receivedAtMilliseconds: time)
        }
        _ = try ledger.record(deliveries)
        _ = try ledger.close()
        return Reporter(try SQLiteLedgerReader(path), programVersion: "9.9.9")
    }

    /// A request for test postbacks.
    static func request(
        _ by: String,
        now: Int64 = night[1],
        _ change: (inout ReportParameters) -> Void = { _ in }
    ) throws -> ReportRequest {
        var parameters = ReportParameters()
        parameters.by = by
        parameters.provenance = "test"
        change(&parameters)
        return try ReportRequest(parameters, nowMilliseconds: now)
    }
}
