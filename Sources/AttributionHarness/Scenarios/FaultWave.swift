/// A fault that befalls a share of the postbacks for some days.
package struct FaultWave: Hashable, Sendable {
    /// The fault.
    package var fault: Fault
    /// The share of the postbacks it befalls, 0…1.
    package var share: Double
    /// Its first day.
    package var from: Int
    /// Its last day.
    package var through: Int
    /// The campaign it befalls, as an index; nil for all.
    package var campaign: Int?

    /// Makes a wave.
    package init(_ fault: Fault, share: Double, from: Int = 1, through: Int = .max, campaign: Int? = nil) {
        self.fault = fault
        self.share = share
        self.from = from
        self.through = through
        self.campaign = campaign
    }

    /// Whether it befalls postbacks of a campaign on a day.
    func covers(day: Int, campaign: Int) -> Bool {
        from <= day && day <= through && (self.campaign ?? campaign) == campaign
    }
}
