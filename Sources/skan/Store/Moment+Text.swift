import Attribution

extension Moment {
    /// The time to the second, as `2026-11-01 12:30:00`.
    var shortText: String {
        text.replacing("T", with: " ").replacing("Z", with: "")
    }
}
