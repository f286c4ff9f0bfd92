import Attribution

/// The columns of the ledger that repeat what a postback's bytes say, so that it can be counted without reading them.
enum PostbackColumns {
    static let names = ["did_win", "conversion"] + ReportDimension.stored.map(\.column)

    /// The columns as SQL lists them.
    static let list = names.joined(separator: ", ")

    /// Writes all of them, the row's id last.
    static let update = "UPDATE postback SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?"

    /// What they must hold for a postback, in their order.
    static func values(of postback: ReceivedPostback) -> [String] {
        [didWin(postback), conversion(postback)] + ReportDimension.storedValues(of: postback)
    }

    /// `true`, `false`, or empty where the postback does not say.
    static func didWin(_ postback: ReceivedPostback) -> String {
        postback.didWin.map { $0 ? "true" : "false" } ?? ""
    }

    /// The conversion as ``Attribution/Conversion`` reads it again.
    static func conversion(_ postback: ReceivedPostback) -> String {
        postback.conversion.description
    }
}
