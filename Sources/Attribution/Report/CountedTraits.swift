/// What a postback says that decides under which counters it falls.
public struct CountedTraits: Hashable, Sendable {
    /// `did-win`, nil in versions without it.
    public let didWin: Bool?
    /// `postback-sequence-index`, nil in versions without it.
    public let sequenceIndex: Int64?
    /// `redownload`, nil when a 1.0 postback does not say.
    public let isRedownload: Bool?
    /// The conversion.
    public let conversion: Conversion

    /// Makes traits.
    public init(didWin: Bool?, sequenceIndex: Int64?, isRedownload: Bool?, conversion: Conversion) {
        self.didWin = didWin
        self.sequenceIndex = sequenceIndex
        self.isRedownload = isRedownload
        self.conversion = conversion
    }

    /// The traits of a postback.
    public init(_ postback: ReceivedPostback) {
        self.init(
            didWin: postback.didWin, sequenceIndex: postback.sequenceIndex, isRedownload: postback.isRedownload,
            conversion: postback.conversion)
    }
}
