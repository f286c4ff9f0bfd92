import ArgumentParser
import Attribution
import AttributionReports
import Foundation
import StrictJSON

extension CampaignsCommand {
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
            let today =
                try date.map { try CalendarDay.reading($0, field: "--date") }
                ?? CalendarDay(containing: Int64(Date().timeIntervalSince1970 * 1000), in: .gmt)
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
}
