/// Postbacks of both frameworks: one in four of AdAttributionKit, the others of SKAdNetwork.
struct MixedPostbackMaker: RequestMaker {
    private var skAdNetwork: PostbackMaker
    private var adAttributionKit: AppPostbackMaker
    private var count = 0

    init(key: SigningKey) {
        skAdNetwork = PostbackMaker(.current, key: key)
        adAttributionKit = AppPostbackMaker(key: key)
    }

    mutating func nextBody() throws -> [UInt8] {
        count += 1
        return count % 4 == 0 ? try adAttributionKit.nextBody() : try skAdNetwork.nextBody()
    }
}
