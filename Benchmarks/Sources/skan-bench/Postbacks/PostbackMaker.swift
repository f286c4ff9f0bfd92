import Foundation

/// Makes unique valid postbacks, signed with a test key.
struct PostbackMaker: RequestMaker {
    enum Kind {
        /// Versions 3.0 and 4.0 in turn, for a P-256 key.
        case current
        /// Version 2.0, for a P-192 key.
        case former
    }

    private let key: SigningKey
    private let kind: Kind
    private var random = SystemRandomNumberGenerator()
    private var count = 0

    init(_ kind: Kind, key: SigningKey) {
        self.kind = kind
        self.key = key
    }

    mutating func nextBody() throws -> [UInt8] {
        try next().body
    }

    /// The next postback.
    mutating func next() throws -> SignedPostback {
        count += 1
        let version =
            switch kind {
            case .current: count % 2 == 0 ? "3.0" : "4.0"
            case .former: "2.0"
            }
        let id = UUID().uuidString.lowercased()
        let number = Int.random(in: 0..<PostbackShape.apps, using: &random)
        let app = PostbackShape.firstApp + number
        let sourceApp = PostbackShape.firstSourceApp + Int.random(in: 0..<PostbackShape.sourceApps, using: &random)
        let campaign = Int.random(in: 0..<PostbackShape.campaigns, using: &random)
        let isRedownload = Int.random(in: 0..<5, using: &random) == 0
        let isNewest = version == "4.0"
        let conversion = Int.random(
            in: 0..<(isNewest ? PostbackShape.conversions : PostbackShape.formerConversions), using: &random)
        let place =
            isNewest
            ? "\(PostbackShape.sourceIdentifier(app: number, campaign: campaign))"
            : "\(PostbackShape.campaignID(app: number, campaign: campaign))"
        var values = [version, PostbackShape.network, place, "\(app)", id, "\(isRedownload)", "\(sourceApp)"]
        var tail = ""
        if version != "2.0" {
            values += ["1", "true"]
            tail = #","fidelity-type":1,"did-win":true"#
        }
        if version == "4.0" {
            values.append("0")
            tail += #","postback-sequence-index":0"#
        }
        let text = Array(values.joined(separator: "\u{2063}").utf8)
        let signature = try key.signature(for: text)
        let placeField = isNewest ? #""source-identifier":"\#(place)""# : #""campaign-id":\#(place)"#
        let body = """
            {"version":"\(version)","ad-network-id":"\(PostbackShape.network)",\(placeField),\
            "transaction-id":"\(id)","app-id":\(app),"attribution-signature":"\(Data(signature).base64EncodedString())",\
            "redownload":\(isRedownload),"source-app-id":\(sourceApp)\(tail),"conversion-value":\(conversion)}
            """
        return SignedPostback(text: text, signature: signature, body: Array(body.utf8))
    }
}
