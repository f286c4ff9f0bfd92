import Foundation

/// The usual bid: what an exchange sends of a device of today, answered with 4.0 in two fidelities and with the JWS of
/// AdAttributionKit, three signatures each.
struct BidRequestMaker: SigningRequestMaker {
    static let path = "/v1/openrtb/skadn"
    static let signatureCount = 3
    /// Networks the source app lists beside ours.
    private static let others = 40

    private var random = SystemRandomNumberGenerator()
    private let others: [String]

    init() {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        others = (0..<Self.others).map { _ in
            #""\#(String((0..<10).compactMap { _ in letters.randomElement() })).skadnetwork""#
        }
    }

    mutating func nextBody() -> [UInt8] {
        let ad = AdDraw(using: &random)
        var networks = others
        networks.insert(
            #""\#(PostbackShape.network)""#, at: Int.random(in: 0...networks.count, using: &random))
        let list = networks.joined(separator: ",")
        return Array(
            """
            {"skadn":{"version":"2.0","versions":["2.0","2.1","2.2","3.0","4.0"],"sourceapp":"\(ad.sourceApp)",\
            "productpage":1,"skoverlay":1,"skadnetids":[\(list)]},\
            "adattributionkit":{"version":"1.0","sourceapp":"\(ad.sourceApp)",\
            "skadnetids":["\(PostbackShape.network)"]},\
            "advertise":{"itunesitem":\(ad.item),"sourceidentifier":\(ad.sourceIdentifier)}}
            """.utf8)
    }

    static func signatures(in answer: [UInt8], to request: [UInt8]) throws -> [MadeSignature] {
        let request = try JSONDecoder().decode(BidRequest.self, from: Data(request))
        let answer = try JSONDecoder().decode(Answer.self, from: Data(answer)).ext
        let signed = try answer.skadn.fidelities.map { one in
            guard let timestamp = Int(one.timestamp) else {
                throw BenchmarkFailure("a bid's timestamp is \(one.timestamp)")
            }
            return MadeSignature(
                item: request.advertise.itunesitem, sourceApp: Int(request.skadn.sourceapp) ?? 0,
                sourceIdentifier: request.advertise.sourceidentifier, fidelity: one.fidelity, nonce: one.nonce,
                timestamp: timestamp, signature: Array(one.signature))
        }
        return signed + [try signature(of: answer.adattributionkit.jwt, request)]
    }

    /// Takes a JWS apart; its payload must be about what was asked for.
    private static func signature(of jws: String, _ request: BidRequest) throws -> MadeSignature {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else {
            throw BenchmarkFailure("a bid's jwt is no JWS: \(jws)")
        }
        let app = try JSONDecoder().decode(AppImpression.self, from: Data(payload))
        guard app.item == request.advertise.itunesitem, "\(app.sourceApp)" == request.skadn.sourceapp,
            app.sourceIdentifier == request.advertise.sourceidentifier
        else {
            throw BenchmarkFailure("a bid's jwt is about another ad: \(jws)")
        }
        return MadeSignature(
            nonce: app.nonce, signing: jws[..<parts[1].endIndex], signature: try SigningKey.der(concatenated: signature)
        )
    }

    private struct BidRequest: Decodable {
        struct Skadn: Decodable {
            let sourceapp: String
        }

        struct Advertise: Decodable {
            let itunesitem: Int
            let sourceidentifier: Int
        }

        let skadn: Skadn
        let advertise: Advertise
    }

    private struct Answer: Decodable {
        struct Extensions: Decodable {
            let skadn: Skadn
            let adattributionkit: App
        }

        struct Skadn: Decodable {
            let fidelities: [Fidelity]
        }

        struct Fidelity: Decodable {
            let fidelity: Int
            let nonce: String
            let timestamp: String
            let signature: Data
        }

        struct App: Decodable {
            let jwt: String
        }

        let ext: Extensions
    }

    private struct AppImpression: Decodable {
        enum CodingKeys: String, CodingKey {
            case nonce = "impression-identifier"
            case item = "advertised-item-identifier"
            case sourceApp = "publisher-item-identifier"
            case sourceIdentifier = "source-identifier"
        }

        let nonce: String
        let item: Int
        let sourceApp: Int
        let sourceIdentifier: Int
    }
}
