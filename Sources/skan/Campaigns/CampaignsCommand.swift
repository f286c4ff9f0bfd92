import ArgumentParser
import Attribution
import AttributionReports
import StrictJSON

struct CampaignsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaigns",
        abstract: "Allocate ids to campaigns, list and check them.",
        discussion: """
            A file names campaigns by their ids, 1 to 100 up to 3.0 and four digits from 4.0 on, and apps. An app of a \
            network has ids of its own. Ids are scarce, and postbacks may arrive long after the last ad: up to \
            \(NamedCampaign.daysAfterCampaignID) days with a campaign id, and \
            \(NamedCampaign.daysAfterSourceIdentifier) with a source identifier. Until then an id is not given to \
            another campaign. skan report and skan serve show the names (--campaigns).

            EXAMPLES
              skan campaigns allocate campaigns.json --network example123.skadnetwork --app 525463029 --name spring
              skan campaigns list campaigns.json
              skan campaigns check campaigns.json
            """,
        subcommands: [Allocate.self, List.self, Check.self]
    )
}

extension CampaignsCommand {
    /// The network and the app that campaigns belong to.
    struct Scope: ParsableArguments {
        @Option(help: "The ad network id.")
        var network: String

        @Option(help: "The advertised app's App Store id.")
        var app: Int64

        /// The network's id.
        var networkID: AdNetworkID {
            get throws {
                guard let id = AdNetworkID(network) else {
                    throw FieldProblem(
                        field: "--network", found: network.shortened(to: 60), expected: "the id of an ad network")
                }
                return id
            }
        }

        func validate() throws {
            guard app > 0 else {
                throw ValidationError("--app: found \(app), expected an App Store id greater than 0")
            }
        }
    }
}
