/// What tallying everything again from the raw bytes found.
public struct Recount: Hashable, Sendable {
    /// Recorded postbacks read again.
    public internal(set) var postbacks: Int64 = 0
    /// Recorded postbacks whose signature was verified again.
    public internal(set) var verified: Int64 = 0
    /// Test postbacks whose key was not named this time; their bytes were read but not verified.
    public internal(set) var unverifiedTest: Int64 = 0
    /// Every difference between what is stored and what the raw bytes say, in words; empty when all is well.
    public internal(set) var differences: [String] = []
    /// Whether the tallies were replaced.
    public internal(set) var isRepaired = false
}
