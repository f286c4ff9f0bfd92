/// The postback that a store made beforehand has under an id: everything of it follows from the id.
struct StoredPostback {
    let id: Int
    /// In Unix milliseconds.
    let receivedAt: Int64
    let traits: StoredTraits
    /// From 0 on, as are the next two.
    let app: Int
    let campaign: Int
    /// Nil for those that did not win, which do not say.
    let sourceApp: Int?
    /// 128 random bits, which its transaction id spells.
    let transaction: (UInt64, UInt64)

    init(id: Int, of count: Int) {
        self.id = id
        var random = SplitMix(seed: UInt64(id))
        transaction = (random.next(), random.next())
        traits = StoredTraits(using: &random)
        app = random.next(below: PostbackShape.apps)
        campaign = random.next(below: PostbackShape.campaigns)
        let source = random.next(below: PostbackShape.sourceApps)
        sourceApp = traits.isWinner ? source : nil
        receivedAt = Self.time(id, of: count, &random)
    }

    var campaignID: Int? {
        traits.version == .v4 ? nil : PostbackShape.campaignID(app: app, campaign: campaign)
    }

    var sourceIdentifier: Int? {
        traits.version == .v4 ? PostbackShape.sourceIdentifier(app: app, campaign: campaign) : nil
    }

    /// Nearly in the order of ids: within five minutes, but for some blocks in which one in ten is up to 30 days late.
    private static func time(_ id: Int, of count: Int, _ random: inout SplitMix) -> Int64 {
        let span = PostbackShape.days * 86_400_000
        let due = Int(Double(id - 1) / Double(count) * Double(span))
        let isLate = (id - 1) / ColumnFormat.rowCount % 50 == 49 && id % 10 == 0
        let delay = random.next(below: isLate ? 30 * 86_400_000 : 300_000)
        return PostbackShape.start + Int64(max(0, due - delay))
    }
}

/// A small random generator that begins anew for each postback.
///
/// - SeeAlso: [SplitMix64](https://prng.di.unimi.it/splitmix64.c)
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0xD134_2543_DE82_EF95
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func next(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
