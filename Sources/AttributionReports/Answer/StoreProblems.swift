/// Damage of a store that affects a report.
struct StoreProblems {
    /// How many recorded postbacks cannot be read and are not counted.
    let unreadableCount: Int
    /// How many postbacks were counted without columns.
    let recomputedCount: Int64
    /// Whether some delivery counts are left out.
    let hasDamagedDeliveries: Bool

    /// A sentence for each problem.
    var warnings: [String] {
        var warnings: [String] = []
        if unreadableCount > 0 {
            warnings.append(
                "recorded postbacks that cannot be read and are not counted: \(unreadableCount); skan recount lists them"
            )
        }
        if recomputedCount > 0 {
            warnings.append(
                "the columns of \(recomputedCount) postbacks are damaged; these were counted without them, which is "
                    + "slower but gives the same figures")
        }
        if hasDamagedDeliveries {
            warnings.append(
                "some counts of deliveries are damaged and left out; those of postbacks are not; skan recount --repair "
                    + "mends what follows from the postbacks")
        }
        return warnings
    }
}
