package import Attribution

/// A position in the sequence of recorded postbacks; counting up to it always gives the same numbers.
///
/// It is opaque to callers, and valid for one store only.
package struct LedgerPosition: Hashable, Sendable {
    /// The store it belongs to.
    package let store: String
    /// The last postback.
    package let last: Int64
    /// Bits of the last postback's key digest, for a store that was restored from an older copy gives ids out again;
    /// nil where they cannot be read.
    package let check: UInt16?

    /// Makes a position; the business of stores alone.
    package init(store: String, last: Int64, check: UInt16?) {
        self.store = store
        self.last = last
        self.check = check
    }
}

extension LedgerPosition: LosslessStringConvertible {
    /// The position as text of lower-case letters, digits and hyphens.
    package var description: String {
        "\(store)-\(last)" + (check.map { "-" + String(UInt32($0) | 0x1_0000, radix: 16).dropFirst() } ?? "")
    }

    /// Parses what ``description`` returns; nil for any other text.
    package init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts[0].utf8.count == 8,
            parts[0].allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let last = Int64(parts[1]), last >= 0, String(last) == parts[1]
        else {
            return nil
        }
        var check: UInt16?
        if parts.count == 3 {
            // A sign is no digit.
            check = parts[2].count == 4 && parts[2].allSatisfy(\.isHexDigit) ? UInt16(parts[2], radix: 16) : nil
            // Before the first postback there is nothing to check.
            guard check != nil, last > 0 else {
                return nil
            }
        }
        self.init(store: String(parts[0]), last: last, check: check)
    }
}

/// A query for recorded postbacks in the order in which they were recorded.
package struct ExportQuery: Hashable, Sendable {
    /// Only postbacks of this traffic; nil for all.
    package var traffic: Traffic?
    /// Only postbacks received in this time, in Unix milliseconds; nil for all.
    package var received: Range<Int64>?
    /// Only postbacks of these advertised apps; empty for all.
    package var apps: [AppStoreItemID]
    /// Only postbacks recorded after this position, to continue after the last page; nil for all.
    package var after: LedgerPosition?
    /// The most postbacks of one page.
    package var limit: Int

    /// The size of a block of columns in SQLite; smaller pages would read each block several times.
    package static let pageSize = 4_096

    package init(
        traffic: Traffic?, received: Range<Int64>? = nil, apps: [AppStoreItemID] = [], after: LedgerPosition? = nil,
        limit: Int = pageSize
    ) {
        self.traffic = traffic
        self.received = received
        self.apps = apps
        self.after = after
        self.limit = limit
    }
}

/// A page of recorded postbacks.
package struct ExportPage: Sendable {
    /// The postbacks and their positions.
    package let postbacks: [(position: LedgerPosition, postback: RecordedPostback)]
    /// The position after which the next page begins.
    package let position: LedgerPosition
    /// Whether this is the last page.
    package let isLast: Bool
    /// Whether every postback that is committed comes before its end; if not, a transaction still runs.
    package let isSettled: Bool

    package init(
        postbacks: [(position: LedgerPosition, postback: RecordedPostback)],
        position: LedgerPosition,
        isLast: Bool,
        isSettled: Bool = true
    ) {
        self.isSettled = isSettled
        self.postbacks = postbacks
        self.position = position
        self.isLast = isLast
    }
}
