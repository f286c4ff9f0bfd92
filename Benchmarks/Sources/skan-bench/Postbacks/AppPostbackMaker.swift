import Foundation

/// Makes unique valid postbacks of AdAttributionKit, signed with a test key.
struct AppPostbackMaker: RequestMaker {
    private let key: SigningKey
    private let header: String
    private var random = SystemRandomNumberGenerator()

    init(key: SigningKey) {
        self.key = key
        // Apple's own header escapes the slash.
        header = Base64URL.encode(Array(#"{"kid":"skan-test-identifier\/0","alg":"ES256"}"#.utf8))
    }

    mutating func nextBody() throws -> [UInt8] {
        let ad = AdDraw(using: &random)
        let type = ["download", "download", "download", "redownload", "re-engagement"].randomElement(using: &random)
        let payload = """
            {"postback-identifier":"\(UUID().uuidString)","publisher-item-identifier":\(ad.sourceApp),\
            "marketplace-identifier":"com.apple.AppStore","impression-type":"app-impression",\
            "ad-network-identifier":"\(PostbackShape.network)","did-win":true,"postback-sequence-index":0,\
            "conversion-type":"\(type ?? "download")","source-identifier":"\(ad.sourceIdentifier)",\
            "advertised-item-identifier":\(ad.item)}
            """
        let text = "\(header).\(Base64URL.encode(Array(payload.utf8)))"
        let signature = try SigningKey.concatenated(der: try key.signature(for: Array(text.utf8)))
        return Array(
            """
            {"jws-string":"\(text).\(Base64URL.encode(signature))",\
            "conversion-value":\(Int.random(in: 0...63, using: &random)),"ad-interaction-type":"click"}
            """.utf8)
    }
}
