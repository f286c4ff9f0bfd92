/// A point in the order of the commits, in which a later transaction puts nothing before an earlier one: a postback's
/// `commit_order` and id.
struct CommitPoint: Hashable, Comparable {
    let order: Int64
    let id: Int64

    /// Before the first postback.
    static let start = CommitPoint(order: 0, id: 0)

    static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.order, lhs.id) < (rhs.order, rhs.id)
    }

    /// Both numbers, as parameters of a statement.
    var parameters: [PostgreSQLParameter] {
        [.integer(order), .integer(id)]
    }
}

/// The postbacks behind one point and up to another.
struct CommitRange: Hashable {
    let after: CommitPoint
    let through: CommitPoint
}
