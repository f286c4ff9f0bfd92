/// The way to add up the table points of a batch of signatures.
enum BatchAddition<C: Curve> {
    case pairs(PairAddition<C>)
    case lanes(LaneAddition)

    /// The columns needed for `size` signatures.
    static func columns(for size: Int, inLanes: Bool) -> Int {
        inLanes ? (size + LaneAddition.lanes - 1) / LaneAddition.lanes * LaneAddition.lanes : size
    }

    init(rows: Int, columns: Int, inLanes: Bool) {
        self =
            inLanes
            ? .lanes(LaneAddition(rows: rows, columns: columns)) : .pairs(PairAddition(rows: rows, columns: columns))
    }

    func deallocate() {
        switch self {
        case .pairs(let addition): addition.deallocate()
        case .lanes(let addition): addition.deallocate()
        }
    }

    /// Sums up as `PairAddition` does.
    func add(
        _ indices: UnsafePointer<SignedIndex>, of table: WindowTable<C>, into sums: UnsafeMutablePointer<UInt256>,
        exception: (Int) -> Void
    ) {
        switch self {
        case .pairs(let addition): addition.add(indices, of: table, into: sums, exception: exception)
        case .lanes(let addition): addition.add(indices, of: table, into: sums, exception: exception)
        }
    }
}
