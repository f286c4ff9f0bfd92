import Foundation

/// Requests for one impression, view-through in version 4.0: one signature each.
struct ImpressionRequestMaker: SigningRequestMaker {
    static let path = "/v1/impressions"
    static let signatureCount = 1

    private var random = SystemRandomNumberGenerator()

    init() {}

    mutating func nextBody() -> [UInt8] {
        let ad = AdDraw(using: &random)
        return Array(
            """
            {"forms":["view-through"],"versions":["4.0"],"ad-network-id":"\(PostbackShape.network)",\
            "itunes-item-id":\(ad.item),"source-app-id":\(ad.sourceApp),"source-identifier":\(ad.sourceIdentifier)}
            """.utf8)
    }

    static func signatures(in answer: [UInt8], to request: [UInt8]) throws -> [MadeSignature] {
        let request = try JSONDecoder().decode(Order.self, from: Data(request))
        return try JSONDecoder().decode(Answer.self, from: Data(answer)).impressions.map { signed in
            MadeSignature(
                item: request.item, sourceApp: request.sourceApp, sourceIdentifier: request.sourceIdentifier,
                fidelity: 0, nonce: signed.impression.nonce, timestamp: signed.impression.timestamp,
                signature: Array(signed.impression.signature))
        }
    }

    private struct Order: Decodable {
        enum CodingKeys: String, CodingKey {
            case item = "itunes-item-id"
            case sourceApp = "source-app-id"
            case sourceIdentifier = "source-identifier"
        }

        let item: Int
        let sourceApp: Int
        let sourceIdentifier: Int
    }

    private struct Answer: Decodable {
        struct Signed: Decodable {
            let impression: Impression
        }

        struct Impression: Decodable {
            enum CodingKeys: String, CodingKey {
                case nonce, timestamp
                case signature = "attribution-signature"
            }

            let nonce: String
            let timestamp: Int
            let signature: Data
        }

        let impressions: [Signed]
    }
}
