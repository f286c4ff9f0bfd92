package import Attribution

extension ShownAd {
    /// The ad as an app's rules leave it to its network; nil for one that the app ignores.
    ///
    /// The rules are those of AdAttributionKit alone.
    package func limited(by rules: AppAttributionRules, network: String) -> ShownAd? {
        guard let days = rules.days(isTap ? .click : .view, network: network) else {
            return nil
        }
        var ad = self
        ad.lifetime = Int64(days) * AppleRules.day
        return ad
    }
}

extension AppAttributionRules {
    /// The taps that become re-engagements: those that the cooldown of the conversion before them leaves.
    ///
    /// Times are in milliseconds, from the earliest on; the install is the first conversion.
    package func reengagements(_ taps: [Int64], installedAt: Int64) -> [Int64] {
        var (last, cooldown) = (installedAt, installCooldownHours ?? 0)
        var conversions: [Int64] = []
        for tap in taps where tap - last >= Int64(cooldown) * AppleRules.hour {
            conversions.append(tap)
            (last, cooldown) = (tap, reengagementCooldownHours ?? 0)
        }
        return conversions
    }
}
