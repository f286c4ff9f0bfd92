extension [Double] {
    /// The middle one, or 0 of none.
    var median: Double {
        isEmpty ? 0 : sorted()[count / 2]
    }
}
