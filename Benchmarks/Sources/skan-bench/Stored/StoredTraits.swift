/// What decides what a stored postback counts as.
struct StoredTraits: Hashable {
    enum Version: String, CaseIterable {
        case v2 = "2.2"
        case v3 = "3.0"
        case v4 = "4.0"
    }

    let version: Version
    /// Postbacks of 2.2 do not say.
    let isWinner: Bool
    let isRedownload: Bool
    /// Of 4.0 alone.
    let sequenceIndex: Int?
    /// A value from 0 to 63, `low`, `medium` or `high`; nil for those that carry none.
    let conversion: String?

    /// The spellings of fine values.
    private static let fine = (0..<PostbackShape.conversions).map { "\($0)" }
    private static let coarse = ["low", "medium", "high"]

    /// Draws them: six in ten of 4.0, three of 3.0, one of 2.2; one in seven did not win.
    init(using random: inout SplitMix) {
        let share = random.next(below: 10)
        version = share < 6 ? .v4 : share < 9 ? .v3 : .v2
        isWinner = version == .v2 || random.next(below: 7) > 0
        isRedownload = random.next(below: 5) == 0
        let window = random.next(below: 10)
        let index = isWinner && window > 6 ? (window == 9 ? 2 : 1) : 0
        sequenceIndex = version == .v4 ? index : nil
        let count = version == .v4 ? PostbackShape.conversions : PostbackShape.formerConversions
        let isSaid = random.next(below: 7) > 0
        if !isWinner || !isSaid {
            conversion = nil
        } else if version == .v4, index > 0 {
            conversion = Self.coarse[random.next(below: Self.coarse.count)]
        } else {
            conversion = Self.fine[random.next(below: count)]
        }
    }

    /// Whether ``conversion`` is a coarse one.
    var isCoarse: Bool {
        sequenceIndex ?? 0 > 0
    }

    /// As the store spells them.
    var text: String {
        let didWin = version == .v2 ? "" : "\(isWinner)"
        let index = sequenceIndex.map { "\($0)" } ?? ""
        return "skadnetwork|\(version.rawValue)|1|\(didWin)|\(isRedownload)|\(index)|||\(conversion ?? "absent")"
    }
}
