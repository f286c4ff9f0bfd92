import ArgumentParser
import AttributionReports

extension CampaignsCommand {
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
