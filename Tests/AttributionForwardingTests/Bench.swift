import Attribution
import AttributionForwarding
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import StrictJSON
import TestSupport

/// Recorded postbacks signed with a test key in Apple's place, and requests that really arrive somewhere.
struct Bench {
    let standIn: AppleStandIn
    let verifier: PostbackVerifier

    init() throws {
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
    }

    /// 2026-11-21 12:00 UTC, and some milliseconds.
    static let receivedAt: Int64 = 1_795_262_400_789

    /// What anyone may add to a genuine body.
    static let strangers = [
        JSONField(name: "ip", value: .string("203.0.113.9")),
        JSONField(name: "ad-network-campaign-id", value: .string("forged")),
        JSONField(name: "App-ID", value: .integer(1)),
    ]

    /// A genuine body of a version to which a stranger added members.
    func body(_ version: SKAdNetworkVersion, id: String = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28") throws -> [UInt8] {
        var draft = PostbackDraft(Self.strangers)
        for field in PostbackField.signed(in: version) where field != .sourceDomain {
            let value: JSONValue =
                switch field {
                case .version: .string(version.rawValue)
                case .adNetworkID: .string("Example123.skadnetwork")
                case .transactionID: .string(id)
                case .sourceIdentifier: .string("0239")
                case .redownload, .didWin: .bool(true)
                case .appID: .integer(9_007_199_254_740_993)
                case .sequenceIndex: .integer(0)
                default: .integer(1)
                }
            draft[field] = value
        }
        // A name of Apple's that the version does not have is a stranger's, too.
        if version < .v4_0 { draft[.sourceIdentifier] = .string("7") }
        draft[.conversionValue] = .integer(20)
        return try standIn.sign(draft)
    }

    func adAttributionKitBody() throws -> [UInt8] {
        var draft = AdAttributionKitDraft(signed: [], unproven: Self.strangers)
        draft[.postbackIdentifier] = .string("a")
        draft[.adNetworkIdentifier] = .string("example123.adattributionkit")
        draft[.advertisedItemIdentifier] = .integer(525_463_029)
        draft[.sourceIdentifier] = .string("39")
        draft[.conversionType] = .string("re-engagement")
        draft[.impressionType] = .string("app-impression")
        draft[.didWin] = .bool(false)
        draft[.sequenceIndex] = .integer(1)
        draft.unproven[.coarseConversionValue] = .string("low")
        return try standIn.sign(draft)
    }

    static func recorded(_ body: [UInt8]?, id: Int64 = 1, traffic: Traffic = .test) -> RecordedPostback {
        RecordedPostback(
            id: id, recordedAtMilliseconds: receivedAt + 5, receivedAtMilliseconds: receivedAt, recipient: .network,
            traffic: traffic, keyName: "test", body: body, check: nil)
    }

    /// Reads a recorded body again, as forwarding does.
    func outgoing(_ body: [UInt8], id: Int64 = 1) throws -> OutgoingPostback {
        let read = OutgoingPostback.read([Self.recorded(body, id: id)], by: verifier)
        guard let first = read.first else { throw CancellationError() }
        return try first.get()
    }

    // MARK: Destinations

    /// The destinations of a file with these objects.
    static func destinations(_ objects: String, folder: String = "") throws -> [Destination] {
        try DestinationFile(reading: Array(#"{"destinations": [\#(objects)]}"#.utf8), file: "d.json", folder: folder)
            .destinations
    }

    /// A destination at a server on this machine.
    static func destination(_ port: Int, path: String = "", _ members: String, folder: String = "") throws
        -> Destination
    {
        let start = #""name": "d", "url": "http://127.0.0.1:\#(port)/\#(path)", "allow": ["127.0.0.0/8"]"#
        return try destinations("{\(start), \(members)}", folder: folder)[0]
    }

    /// Sends one postback.
    func send(
        _ body: [UInt8], to destination: Destination, within limit: Duration = .seconds(20)
    ) async throws -> DeliveryResult {
        let request = try OutgoingRequest(try outgoing(body), to: destination, verifier: verifier)
        return await DestinationClient().send(request, to: destination, at: 1_800_000_000, within: limit)
    }

    /// What a server answers that takes one request a connection.
    static let accepts = ["read", "send HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"]
}

/// A request as a receiver saw it.
struct SeenRequest {
    let line: String
    let fields: [String: String]
    let body: String

    /// Takes what a scripted server told.
    init(_ told: String) {
        let text = told.drop { $0 != " " }.dropFirst()
        let parts = text.split(separator: "||", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "|")
        line = String(lines.first ?? "")
        body = parts.count > 1 ? String(parts[1]) : ""
        fields = Dictionary(
            lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].dropFirst()) : "")
            }, uniquingKeysWith: { "\($0), \($1)" })
    }

    /// The members of the body, or the parameters of the query in the types that Apple has.
    func members() throws -> [JSONField] {
        guard body.isEmpty else { return try JSONObject(reading: Array(body.utf8)).fields }
        let target = line.split(separator: " ")[1]
        let items = URLComponents(string: String(target))?.queryItems ?? []
        return items.map { item in
            let text = item.value ?? ""
            let isText = ["version", "source-identifier", "transaction-id", "ad-network-id", "attribution-signature"]
                .contains(item.name)
            let value: JSONValue =
                isText
                ? .string(text)
                : ["true", "false"].contains(text)
                    ? .bool(text == "true") : Int64(text).map(JSONValue.integer) ?? .string(text)
            return JSONField(name: item.name, value: value)
        }
    }
}

/// A folder for secrets, removed at the end.
final class SecretFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "skan-forwarding-\(UUID().uuidString)/"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path + name)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
