/// The shares of repeats and faults in simulated traffic, relative to the distinct postbacks, 0…1.
package struct TrafficShares: Hashable, Sendable {
    /// Sent again once or several times, as by devices that got no 200.
    package var repeats = 0.05
    /// Sent again with another conversion value, as by a fraudster.
    package var conflicts = 0.01
    /// With one signed field changed after signing.
    package var tampered = 0.02
    /// Signed with an untrusted key.
    package var wrongKey = 0.01
    /// Of a version that does not exist.
    package var unknownVersion = 0.01
    /// With a field missing, of the wrong type or out of range.
    package var malformed = 0.01
    /// Genuine, with an invalid conversion value.
    package var invalidConversions = 0.01
    /// Not JSON at all.
    package var notJSON = 0.005

    /// The shares of an ordinary day.
    package init() {}

    /// The shares scaled by a factor; 0 gives genuine traffic without repeats.
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
