/// The ad that one request of the signing API is about, drawn at random.
struct AdDraw {
    let item: Int
    let sourceApp: Int
    let sourceIdentifier: Int

    init(using random: inout SystemRandomNumberGenerator) {
        item = PostbackShape.firstApp + Int.random(in: 0..<PostbackShape.apps, using: &random)
        sourceApp = PostbackShape.firstSourceApp + Int.random(in: 0..<PostbackShape.sourceApps, using: &random)
        sourceIdentifier = 999 + Int.random(in: 1...PostbackShape.campaigns, using: &random)
    }
}
