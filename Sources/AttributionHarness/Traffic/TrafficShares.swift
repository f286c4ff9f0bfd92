/// How often what happens in simulated traffic; shares are of the distinct postbacks, 0…1.
package struct TrafficShares: Hashable, Sendable {
    /// Sent once or several times more, as devices do that got no 200.
    package var repeats = 0.05
    /// Sent once more with another conversion value, as a fraudster does.
    package var conflicts = 0.01
    /// With one signed field changed after signing.
    package var tampered = 0.02
    /// Signed with a key nobody trusts.
    package var wrongKey = 0.01
    /// Of a version that does not exist.
    package var unknownVersion = 0.01
    /// With a field of a wrong type, missing or out of range.
    package var malformed = 0.01
    /// Genuine, with a conversion value that is none.
    package var invalidConversions = 0.01
    /// Not JSON at all.
    package var notJSON = 0.005

    /// The shares of an ordinary day.
    package init() {}

    /// The same with all faults scaled; 0 gives genuine traffic without repeats.
    package func scaled(by factor: Double) -> TrafficShares {
        var shares = self
        shares.repeats *= factor
        shares.conflicts *= factor
        shares.tampered *= factor
        shares.wrongKey *= factor
        shares.unknownVersion *= factor
        shares.malformed *= factor
        shares.invalidConversions *= factor
        shares.notJSON *= factor
        return shares
    }
}
