import Attribution
import AttributionHarness
import Foundation
import StrictJSON
import TestSupport
import Testing

/// A server that trusts the test keys, and `skan verify --explain` with the same keys.
@Suite("Causes in the answers of a server", .timeLimit(.minutes(2)))
struct AnswerCauseTests: FolderSuite {
    let folder: WorkFolder
    let standIn: AppleStandIn

    init() throws {
        folder = try WorkFolder()
        standIn = try AppleStandIn(folder: folder.path("keys"))
    }

    private static let triggers: [AttributionVersion: DeliveryTrigger] = [
        .v1_0: .skan10, .v2_0: .skan20, .v2_1: .skan20, .v2_2: .skan22, .v3_0: .skan30, .v4_0: .lowTier,
        .adAttributionKit: .aakLoss,
    ]

    /// A genuine postback of a version that names no source.
    private func genuine(_ version: AttributionVersion) throws -> [UInt8] {
        let trigger = try #require(Self.triggers[version])
        let body = try trigger.body(by: standIn, id: "6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")
        guard let name = version.skAdNetwork?.rawValue else {
            return body
        }
        var draft = PostbackDraft(try SKAdNetworkPostback(reading: body))
        draft[.version] = .string(name)
        draft[.sourceAppID] = nil
        return try standIn.sign(draft)
    }

    private func post(_ body: [UInt8], by client: RawClient) throws -> JSONObject {
        Self.send(body, by: client)
        return try JSONObject(reading: Array(client.answer().body.utf8))
    }

    private static func send(_ body: [UInt8], by client: RawClient) {
        client.send(
            "POST /skadnetwork/postbacks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.count)\r\n\r\n\(String(decoding: body, as: UTF8.self))")
    }

    /// The figures of a metric by its only label.
    private func causes(_ server: SkanServer) throws -> [String: Int] {
        let text = try run(SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/metrics"]).output
        let samples = text.matches(of: /(?m)^skan_delivery_causes_total\{outcome="([a-z]+)"\} ([0-9]+)$/)
        return Dictionary(uniqueKeysWithValues: samples.map { (String($0.1), Int($0.2) ?? -1) })
    }

    /// Causes that an answer names; of the others the whole search is too dear.
    private static let cheap: Set = ["zero-filled", "letter-case", "version-changed", "test-key"]

    @Test("Of every fault in every version the answer names the cause that verify --explain names, if it is cheap")
    func faults() throws {
        let stranger = try AppleStandIn()
        var rows: [(name: String, isForged: Bool, body: [UInt8])] = []
        for version in AttributionVersion.allCases {
            for fault in Fault.allCases {
                var generator = AttributionHarness.SeededGenerator(seed: 7)
                let copy = try fault.copy(of: genuine(version), stranger: stranger, using: &generator)
                guard let copy, case .durable(.quarantined, let reason) = copy.expectation else {
                    continue
                }
                rows.append(("\(version.name), \(fault)", reason == .invalidSignature, copy.body))
            }
        }
        let forged = rows.count(where: \.isForged)
        #expect(forged > 25 && forged <= 100)
        try Data(rows.map { $0.body + [0x0A] }.joined()).write(to: folder.url.appendingPathComponent("rows.ndjson"))
        let explained = try skan(
            ["verify", "--explain", "--format", "json", "rows.ndjson"] + SkanServer.testKeys
        ).output.split(separator: "\n").map { try JSONObject(reading: Array($0.utf8)) }
        try #require(explained.count == rows.count)

        let server = try SkanServer(in: folder)
        let client = try RawClient(port: server.port)
        var named = 0
        for (row, explanation) in zip(rows, explained) {
            let answer = try post(row.body, by: client)
            #expect(answer["status"] == .string("quarantined"), "\(row.name)")
            #expect((answer["reason"] == .string("invalid-signature")) == row.isForged, "\(row.name)")
            guard row.isForged, case .string(let cause) = explanation["cause"], Self.cheap.contains(cause) else {
                #expect(answer["cause"] == nil && answer["field"] == nil, "\(row.name)")
                continue
            }
            named += 1
            #expect(answer["cause"] == .string(cause), "\(row.name)")
            #expect(answer["field"] == explanation["field"], "\(row.name)")
        }
        #expect(named > 15)
        #expect(try causes(server) == ["proven": named, "unproven": forged - named, "skipped": 0])
    }

    @Test("A flood of one body gets no more causes than a hundred a second, and is otherwise answered as before")
    func flood() throws {
        let body = try DeliveryTrigger.zeroFilled.body(by: standIn, id: "6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")
        let server = try SkanServer(in: folder)
        let client = try RawClient(port: server.port)
        let start = ContinuousClock.now
        var named = 0
        for _ in 0..<50 {
            for _ in 0..<16 {
                Self.send(body, by: client)
            }
            for _ in 0..<16 {
                let answer = try client.answer()
                #expect(answer.status == 200 && answer.reason == "invalid-signature")
                named += answer.body.contains(#""cause":"zero-filled","field":"source-app-id"}"#) ? 1 : 0
            }
        }
        let seconds = (ContinuousClock.now - start).components.seconds + 2
        #expect(named >= 100 && named <= 100 * Int(seconds))
        #expect(try causes(server) == ["proven": named, "unproven": 0, "skipped": 800 - named])
    }
}
