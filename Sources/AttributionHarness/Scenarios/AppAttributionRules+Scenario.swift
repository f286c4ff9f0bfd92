import Attribution
import StrictJSON

extension AppAttributionRules {
    /// Reads the value of `AdAttributionKitConfigurations`, in which networks have their ids with AdAttributionKit.
    init(_ fields: DocumentFields, networks: [String]) throws(DocumentProblem) {
        self.init()
        try fields.allow("AttributionWindows", "AttributionCooldown")
        if fields.has("AttributionWindows") {
            let children = try fields.child("AttributionWindows")
            for name in children.members.map(\.name) {
                // Of a network that the scenario lacks no ad would be found.
                _ = try children.index(of: name, in: [Self.allNetworks] + networks, name, kind: "the networks")
                let network = try children.child(name)
                try network.allow("install")
                windows[name] = try Self.windows(network.child("install"), isOfNetwork: name != Self.allNetworks)
            }
        }
        if fields.has("AttributionCooldown") {
            let cooldown = try fields.child("AttributionCooldown")
            let (install, reengagement) = ("install-cooldown-hours", "re-engagement-cooldown-hours")
            try cooldown.allow(install, reengagement)
            installCooldownHours = try cooldown.integer(install, in: Self.cooldownHours, else: 0)
            reengagementCooldownHours = try cooldown.integer(reengagement, in: Self.cooldownHours, else: 0)
        }
    }

    private static func windows(_ install: DocumentFields, isOfNetwork: Bool) throws(DocumentProblem) -> Windows {
        var windows = Windows()
        if isOfNetwork {
            try install.allow("click", "view", "ignoreInteractionType")
        } else {
            try install.allow("click", "view")
        }
        for type in Interaction.allCases where install.has(type.rawValue) {
            windows.days[type] = try install.integer(type.rawValue, in: type.windowDays)
        }
        if install.has("ignoreInteractionType") {
            windows.ignored = try install.choice("ignoreInteractionType")
        }
        return windows
    }
}
