import ArgumentParser
import Attribution
import AttributionReports
import Foundation
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

    struct Allocate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a campaign with a free id to the file, and print the id.",
            discussion: """
                The file is created if there is none, and written anew: it loses its formatting. No two campaigns share \
                the last two digits of a source identifier, because postbacks of small crowds have only those; --group \
                takes another identifier of a group on purpose.
                """)

        enum Kind: String, CaseIterable, ExpressibleByArgument {
            case sourceIdentifier = "source-identifier"
            case campaignID = "campaign-id"
        }

        @Argument(help: "The file of names (JSON).", completion: .file(extensions: ["json"]))
        var file: String

        @OptionGroup var scope: Scope

        @Option(help: "What to call it.")
        var name: String

        @Option(name: .customLong("id"), help: "source-identifier (from 4.0 on) or campaign-id (up to 3.0).")
        var kind: Kind = .sourceIdentifier

        @Option(help: "The last two or three digits of the source identifier.")
        var group: String?

        @Option(help: "The first day (UTC) of its ads (default: today).")
        var from: String?

        @Option(help: "The last day (UTC) of its ads (default: no end).")
        var to: String?

        func validate() throws {
            guard group == nil || kind == .sourceIdentifier else {
                throw ValidationError("expected no --group with --id campaign-id")
            }
            guard (1...255).contains(name.utf8.count) else {
                throw ValidationError("--name: found \(name.utf8.count) bytes, expected 1 to 255")
            }
        }

        func run() throws {
            let from = try from.map { try CalendarDay.reading($0, field: "--from") } ?? .today
            let through = try to.map { try CalendarDay.reading($0, field: "--to") }
            if let through, through < from {
                throw FieldProblem(field: "--to", found: through.description, expected: "a day from \(from) on")
            }
            let allocation = CampaignAllocation(
                name: name, network: try scope.networkID, app: AppStoreItemID(scope.app), from: from, through: through,
                kind: try wanted)
            let campaign = try InvalidDocuments.saying { try allocation.allocate(inFile: file) }
            let id = campaign.campaignID.map { String($0.value) } ?? campaign.sourceIdentifier?.digits ?? ""
            Terminal.write(id + "\n")
            Terminal.say("skan: \(kind.rawValue) \(id) is \"\(name)\", \(campaign.days)")
        }

        private var wanted: CampaignAllocation.Kind {
            get throws {
                guard let group else {
                    return kind == .campaignID ? .campaignID : .sourceIdentifier
                }
                guard let digits = SourceIdentifier(written: group), group.utf8.count < 4 else {
                    throw FieldProblem(
                        field: "--group", found: group.shortened(to: 20), expected: "two or three digits, such as 39")
                }
                return .sourceIdentifierInGroup(digits)
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List campaigns with their ids, their days and their states.",
            discussion: """
                STATE is planned, running, cooling (the ads have ended, and postbacks may arrive until the day in UNTIL) \
                or over: then its ids are free. Where UNTIL is "-", they never become free. A campaign may have both ids.
                """)

        @Argument(help: "Files of names (JSON).", completion: .file(extensions: ["json"]))
        var files: [String]

        @Option(help: "The day (UTC) of the states (default: today).")
        var date: String?

        func run() throws {
            Terminal.exitAtClosedPipe()
            let today = try date.map { try CalendarDay.reading($0, field: "--date") } ?? .today
            let map = try CampaignMap.reading(files)
            let header = ["NETWORK", "APP", "CAMPAIGN", "SOURCE", "NAME", "FROM", "TO", "UNTIL", "STATE"]
            let rows = map.campaigns.map { campaign in
                let until = campaign.lastArrival
                return [
                    campaign.network, campaign.app.description,
                    campaign.campaignID.map { String($0.value) } ?? "-", campaign.sourceIdentifier?.digits ?? "-",
                    campaign.name.shortened(to: 60), campaign.from.description,
                    campaign.through?.description ?? "-", until?.description ?? "-",
                    campaign.state(on: today).rawValue,
                ]
            }
            Terminal.write(Columns([header] + rows).text)
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check files of names together, and find campaigns that share an id too closely.",
            discussion: """
                Shows every problem of every file; a name that occurs twice in an object, or text that is not JSON, \
                may hide others of its file. Ends with status 0 if no two campaigns of an app share an id while \
                postbacks of both may arrive, and 1 if some do: reports call such postbacks ambiguous.
                """)

        @Argument(help: "Files of names (JSON).", completion: .file(extensions: ["json"]))
        var files: [String]

        func run() throws {
            let map = try CampaignMap.reading(files)
            let conflicts = map.conflicts
            for conflict in conflicts {
                Terminal.write(
                    "app \(conflict.first.app): \(conflict.id) is \"\(conflict.first.name)\", \(conflict.first.days), and "
                        + "\"\(conflict.second.name)\", \(conflict.second.days); postbacks of the first may arrive "
                        + (conflict.lastArrival.map { "until \($0)" } ?? "without end") + "\n")
            }
            guard conflicts.isEmpty else {
                throw ExitStatus.negative
            }
            Terminal.write(
                "ok: \(map.campaigns.count) campaigns, \(map.apps.count) apps and \(map.sourceApps.count) source apps "
                    + "with names\n")
        }
    }
}
