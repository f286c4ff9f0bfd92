/// How an advertised app changes the rules of AdAttributionKit: `AdAttributionKitConfigurations` of its Info.plist.
///
/// Systems read it from iOS 18.4. It concerns conversions of AdAttributionKit alone, and its windows installs alone.
///
/// - SeeAlso: [Configuring attribution rules for your
///   app](https://developer.apple.com/documentation/adattributionkit/configuring-attribution-rules-for-your-app)
package struct AppAttributionRules: Hashable, Sendable {
    /// How a person met an ad.
    package enum Interaction: String, CaseIterable, Hashable, Sendable { case click, view }

    /// For how long ads may lead to an install.
    package struct Windows: Hashable, Sendable {
        /// `click` and `view`, in days.
        package var days: [Interaction: Int]
        /// `ignoreInteractionType`: ads that lead to no install; systems read it for a network alone, not for all.
        package var ignored: Interaction?

        /// Takes what is in ``Interaction/windowDays``.
        package init(days: [Interaction: Int] = [:], ignored: Interaction? = nil) {
            self.days = days
            self.ignored = ignored
        }
    }

    /// The name under which windows are those of all networks.
    package static let allNetworks = "global"
    /// What a cooldown may be, in hours.
    package static let cooldownHours = 0...720

    /// `AttributionWindows`, by ad network id or ``allNetworks``.
    package var windows: [String: Windows] = [:]
    /// `install-cooldown-hours`: for how long nothing converts after an install; nil leaves it out, as 0 does.
    package var installCooldownHours: Int?
    /// `re-engagement-cooldown-hours`: the same after a re-engagement.
    package var reengagementCooldownHours: Int?

    /// Changes nothing.
    package init() {}

    /// For how many days ads of a network may lead to an install; nil for ads that the app ignores.
    ///
    /// Each number is the network's own, otherwise that of all networks, otherwise the system's.
    package func days(_ type: Interaction, network: String) -> Int? {
        let own = windows[network]
        guard own?.ignored != type else {
            return nil
        }
        return own?.days[type] ?? windows[Self.allNetworks]?.days[type] ?? type.standardWindowDays
    }

    /// The value of `AdAttributionKitConfigurations`; nil if it changes nothing.
    package var propertyList: PropertyListText? {
        var members: [PropertyListText.Member] = []
        let windows = windows.sorted { $0.key < $1.key }.compactMap { network, windows in
            windows.propertyList.map { PropertyListText.Member(network, .dictionary(["install": $0])) }
        }
        if !windows.isEmpty {
            members.append(.init("AttributionWindows", .dictionary(windows)))
        }
        let cooldowns = [
            ("install-cooldown-hours", installCooldownHours),
            ("re-engagement-cooldown-hours", reengagementCooldownHours),
        ].compactMap { name, hours in hours.map { PropertyListText.Member(name, .integer($0)) } }
        if !cooldowns.isEmpty {
            members.append(.init("AttributionCooldown", .dictionary(cooldowns)))
        }
        return members.isEmpty ? nil : .dictionary(members)
    }
}

extension AppAttributionRules.Windows {
    fileprivate var propertyList: PropertyListText? {
        var members = AppAttributionRules.Interaction.allCases.compactMap { type in
            days[type].map { PropertyListText.Member(type.rawValue, .integer($0)) }
        }
        if let ignored {
            members.append(.init("ignoreInteractionType", .string(ignored.rawValue)))
        }
        return members.isEmpty ? nil : .dictionary(members)
    }
}

extension AppAttributionRules.Interaction {
    /// For how many days an app may let ads of this type lead to an install.
    package var windowDays: ClosedRange<Int> {
        self == .click ? 1...30 : 1...7
    }

    /// For how many days they do so where the app says nothing.
    package var standardWindowDays: Int {
        self == .click ? 30 : 1
    }
}
