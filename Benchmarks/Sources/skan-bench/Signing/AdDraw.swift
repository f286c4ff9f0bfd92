/// The ad that one request of the signing API is about, drawn at random.
struct AdDraw {
    let item: Int
    let sourceApp: Int
    let sourceIdentifier: Int

    init(using random: inout SystemRandomNumberGenerator) {
        let app = Int.random(in: 0..<PostbackShape.apps, using: &random)
        item = PostbackShape.firstApp + app
        sourceApp = PostbackShape.firstSourceApp + Int.random(in: 0..<PostbackShape.sourceApps, using: &random)
        sourceIdentifier = PostbackShape.sourceIdentifier(
            app: app, campaign: Int.random(in: 0..<PostbackShape.campaigns, using: &random))
    }
}
