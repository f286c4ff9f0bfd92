/// The properties of a postback that decide how it is counted.
package struct CountedTraits: Hashable, Sendable {
    /// `did-win`, nil in versions without it.
    package let didWin: Bool?
    /// `postback-sequence-index`, nil in versions without it.
    package let sequenceIndex: Int64?
    /// `redownload`, or its equivalent from `conversion-type`; nil for a 1.0 postback without it, and for a
    /// re-engagement.
    package let isRedownload: Bool?
    /// Whether Apple signs ``isRedownload``; 1.0 does not.
    package let isRedownloadProven: Bool
    /// Whether it reports a re-engagement, which is not an install.
    package let isReengagement: Bool
    package let conversion: Conversion

    package init(
        didWin: Bool?, sequenceIndex: Int64?, isRedownload: Bool?, isRedownloadProven: Bool = true,
        isReengagement: Bool = false, conversion: Conversion
    ) {
        self.didWin = didWin
        self.sequenceIndex = sequenceIndex
        self.isRedownload = isRedownload
        self.isRedownloadProven = isRedownloadProven
        self.isReengagement = isReengagement
        self.conversion = conversion
    }

    package init(_ postback: ReceivedPostback) {
        switch postback {
        case .skAdNetwork(let postback):
            self.init(
                didWin: postback.didWin, sequenceIndex: postback.sequenceIndex, isRedownload: postback.isRedownload,
                isRedownloadProven: postback.version.signsRedownload, conversion: postback.conversion)
        case .adAttributionKit(let postback):
            self.init(
                didWin: postback.didWin, sequenceIndex: postback.sequenceIndex,
                isRedownload: postback.conversionType.isRedownload,
                isReengagement: postback.conversionType == .reengagement, conversion: postback.conversion)
        }
    }

    /// The counters that a postback with these traits increments.
    package var counters: [Counts.Counter] {
        if didWin == false {
            return [.postbacks, .losses]
        }
        let isFirst = (sequenceIndex ?? 0) == 0
        if isReengagement {
            return isFirst
                ? [.postbacks, .reengagements, .reengagementConversion(conversion)] : [.postbacks, .laterReengagements]
        }
        guard isFirst else {
            return [
                .postbacks, sequenceIndex == 1 ? .secondWindow : .thirdWindow, .laterConversion(conversion),
            ]
        }
        var counters: [Counts.Counter] = [.postbacks, .installs, .conversion(conversion)]
        if didWin == true {
            counters.append(.wins)
        }
        if let isRedownload {
            counters.append(isRedownload ? .redownloads : .newInstalls)
            if !isRedownloadProven {
                counters.append(.unprovenRedownloads)
            }
        }
        return counters
    }
}
