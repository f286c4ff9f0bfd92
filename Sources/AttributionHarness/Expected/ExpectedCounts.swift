import Attribution

/// What the columns of a report must say of some postbacks, counted by their names and not by the server's code.
struct ExpectedCounts {
    private(set) var figures: [String: Int64] = [:]

    /// Counts postbacks that say the same.
    mutating func count(_ postback: SimulatedPostback, times: Int64) {
        func add(_ name: String) {
            figures[name, default: 0] += times
        }
        let hasVerdict = postback.version >= .v3_0
        add("postbacks")
        if hasVerdict, !postback.flags.contains(.didWin) {
            add("losses")
            add("decided")
            return
        }
        if postback.kind == .reengagement {
            guard postback.sequenceIndex == 0 else {
                add("re-engagements-later")
                return
            }
            add("re-engagements")
            switch postback.conversion {
            case .absent: add("re-engagement-null")
            case .fine(let value): add("re-engagement-values \(value)")
            case .coarse(let value): add("re-engagement-\(value.rawValue)")
            }
            return
        }
        guard postback.sequenceIndex == 0 else {
            add(postback.sequenceIndex == 1 ? "window-2" : "window-3")
            switch postback.conversion {
            case .absent: add("later-null")
            case .fine: add("later-invalid")
            case .coarse(let value): add("later-\(value.rawValue)")
            }
            return
        }
        add("installs")
        if hasVerdict {
            add("wins")
            add("decided")
        }
        if postback.version > .v1_0 || postback.flags.contains(.saysRedownload) {
            add("redownload-known")
            if postback.kind == .redownload {
                add("redownloads")
            }
            if postback.version == .v1_0 {
                add("redownload-unproven")
            }
        }
        switch postback.conversion {
        case .absent: add("conversion-null")
        case .fine(let value):
            add("conversion-fine")
            add("conversion-values \(value)")
        case .coarse(let value): add("coarse-\(value.rawValue)")
        }
    }
}
