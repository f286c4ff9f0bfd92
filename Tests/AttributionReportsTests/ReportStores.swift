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
        let standIn = try AppleStandIn()
        let bodies: [(body: [UInt8], time: Int64)] = try times.enumerated().map { index, time in
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
            return (try standIn.sign(draft), time)
        }
        return try reporter(of: bodies, signedBy: standIn)
    }

    /// A ledger with some postbacks, each received at a time in Unix milliseconds.
    func reporter(of bodies: [(body: [UInt8], time: Int64)], signedBy standIn: AppleStandIn) throws -> Reporter {
        let path = folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        let ledger = try SQLiteLedgerWriter(path: path)
        let deliveries = bodies.map { body, time in
            Delivery(judgement: verifier.judge(body), recipient: .network, receivedAtMilliseconds: time)
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

/// Answers to the questions of a plan, made up.
enum SampleFigures {
    /// 2026-11-23 12:00 UTC.
    static let now: Int64 = 1_795_435_200_000
    static let day: Int64 = 86_400_000

    static func request(
        _ name: StandardReportName,
        _ change: (inout StandardReportParameters) -> Void = { _ in }
    ) throws -> StandardReportRequest {
        var parameters = StandardReportParameters()
        parameters.name = name.rawValue
        change(&parameters)
        return try StandardReportRequest(parameters, nowMilliseconds: now)
    }

    /// Every kind of postback, the more of each the greater the number.
    static func counts(_ number: Int64) -> Counts {
        var counts = Counts()
        guard number > 0 else {
            return counts
        }
        for (index, conversion) in Conversion.allCases.enumerated() {
            let times = number + Int64(index) % 7
            for sequence in [nil, 0, 1, 2] as [Int64?] {
                for isReengagement in [false, true] {
                    counts.count(
                        CountedTraits(
                            didWin: sequence == nil ? nil : true, sequenceIndex: sequence,
                            isRedownload: isReengagement ? nil : index.isMultiple(of: 3),
                            isRedownloadProven: index != 4, isReengagement: isReengagement, conversion: conversion),
                        times: times)
                }
            }
        }
        counts.count(
            CountedTraits(didWin: false, sequenceIndex: 0, isRedownload: false, conversion: .absent), times: number)
        return counts
    }

    static func deliveries(_ number: Int64) -> DeliveryCounts {
        var deliveries = DeliveryCounts()
        for (index, recipient) in Delivery.Recipient.allCases.enumerated() {
            for traffic in Traffic.allCases {
                for status in Recording.Status.allCases where status != .quarantined {
                    deliveries.add(
                        .init(status: status, traffic: traffic, reason: nil, recipient: recipient),
                        count: number + Int64(index), kept: number)
                }
            }
            for reason in PostbackRejection.Code.allCases where reason != .notJSON {
                deliveries.add(
                    .init(status: .quarantined, traffic: nil, reason: reason, recipient: recipient), count: number + 2,
                    kept: number)
            }
        }
        for delay in RepeatDelay.allCases {
            deliveries.add(delay, count: number)
        }
        deliveries.otherRecipients = number
        return deliveries
    }

    /// Ads of some of the campaigns, and what they cost.
    static func costs(_ keys: [String], _ number: Int64) -> AdCosts {
        var costs = AdCosts()
        for key in keys {
            guard let network = AdNetworkID(key), let app = Int64(key), let id = CampaignID(app) else {
                continue
            }
            let signed = SignedCampaign(
                network: network, app: AppStoreItemID(app), campaignID: id, sourceIdentifier: nil)
            let paid = SpendCampaign(
                network: network, app: AppStoreItemID(app), campaignID: id,
                sourceIdentifier: SourceIdentifier("39"))
            costs.signed[signed] = app * number
            for currency in ["EUR", "USD"].compactMap({ CurrencyCode($0) }).prefix(Int(number) - 1) {
                costs.spend[paid, default: [:]][currency] = Money(micros: app * 1_000)
            }
        }
        return costs
    }

    /// Figures of 60 days up to today, and rows of made-up keys.
    static func figures(_ request: StandardReportRequest, keys: [String] = ["", "1", "22", "333"])
        -> StandardReportFigures
    {
        let plan = StandardReportPlan(request.name)
        let days = Dictionary(
            uniqueKeysWithValues: (0..<60).map { (request.today.advanced(by: -$0), counts($0 % 5 + 1)) })
        let isCompared = request.previous != nil
        return StandardReportFigures(
            request: request, days: days, daysOfWindows: days.mapValues { _ in counts(1) },
            breakdowns: plan.breakdowns.map { breakdown in
                BreakdownRows(
                    keys.enumerated().map { index, key in
                        StandardReportFigures.Row(
                            values: breakdown.dimensions.map { _ in key }, current: counts(Int64(index) + 1),
                            previous: isCompared ? counts(Int64(3 - index)) : nil)
                    })
            },
            deliveries: plan.hasDeliveries ? (deliveries(3), isCompared ? deliveries(2) : nil) : nil,
            costs: plan.hasCosts ? (costs(keys, 3), isCompared ? costs(keys, 2) : nil) : nil,
            recordedAtMilliseconds: now, isRecording: true)
    }

    static func sections(_ request: StandardReportRequest) -> [ReportSection] {
        StandardReportPlan(request.name).sections(figures(request))
    }
}

extension ReportSection {
    /// The cell of a column in the row with a first cell.
    func cell(_ column: String, _ key: String) -> ReportCell? {
        guard let index = columns.firstIndex(where: { $0.name == column }) else {
            return nil
        }
        return rows.first { $0.cells.first == .key(key) }?.cells[index]
    }
}
