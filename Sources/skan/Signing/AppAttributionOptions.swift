import ArgumentParser
import Attribution
import StrictJSON

/// How advertised apps are to attribute ads of AdAttributionKit, as their Info.plist says.
struct AppAttributionOptions: ParsableArguments {
    @Flag(help: "Let several re-engagements go on at once; the app has to keep their conversion tags.")
    var overlappingConversions = false

    @Option(help: ArgumentHelp("Days from click to install, 1…30 (the system's: 30).", valueName: "days"))
    var clickWindow: Int?

    @Option(help: ArgumentHelp("Days from view to install, 1…7 (the system's: 1).", valueName: "days"))
    var viewWindow: Int?

    @Option(help: "click or view: ads that lead to no install.")
    var ignoreInteractionType: AppAttributionRules.Interaction?

    @Option(help: ArgumentHelp("Hours after an install in which nothing converts, 0…720.", valueName: "hours"))
    var installCooldown: Int?

    @Option(help: ArgumentHelp("Hours after a re-engagement in which nothing converts, 0…720.", valueName: "hours"))
    var reEngagementCooldown: Int?

    /// The rules, with windows for the ids of a network.
    func rules(of networks: [RegisteredNetworkID]) throws -> AppAttributionRules {
        let options = [
            ("click-window", AppAttributionRules.Interaction.click, clickWindow), ("view-window", .view, viewWindow),
        ]
        var windows = AppAttributionRules.Windows(ignored: ignoreInteractionType)
        for (field, type, days) in options {
            windows.days[type] = try Self.checked(days, type.windowDays, of: "days", field: field)
            guard days == nil || type != ignoreInteractionType else {
                throw CommandFailure(
                    "found --\(field) and --ignore-interaction-type \(type.rawValue), expected one of them",
                    hint: "leave out --\(field)")
            }
        }
        let hours = AppAttributionRules.cooldownHours
        var rules = AppAttributionRules()
        for network in networks {
            rules.windows[network.text] = windows
        }
        rules.installCooldownHours = try Self.checked(installCooldown, hours, of: "hours", field: "install-cooldown")
        rules.reengagementCooldownHours = try Self.checked(
            reEngagementCooldown, hours, of: "hours", field: "re-engagement-cooldown")
        return rules
    }

    private static func checked(
        _ value: Int?, _ range: ClosedRange<Int>, of unit: String, field: String
    ) throws(FieldProblem) -> Int? {
        guard let value, !range.contains(value) else {
            return value
        }
        throw FieldProblem(
            field: field, found: String(value), expected: "\(range.lowerBound) to \(range.upperBound) \(unit)")
    }
}

extension AppAttributionRules.Interaction: ExpressibleByArgument {}
