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
        values(of: postback, dimensions: ReportDimension.storedValues(of: postback))
    }

    /// The same for a postback the values of whose stored dimensions are known.
    static func values(of postback: ReceivedPostback, dimensions: [String]) -> [String] {
        [postback.didWin.map { $0 ? "true" : "false" } ?? "", postback.conversion.description] + dimensions
    }
}
