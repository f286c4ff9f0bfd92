import ArgumentParser
import Attribution
import AttributionReports
import Foundation
import StrictJSON

extension CampaignsCommand {
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
            let from =
                try from.map { try CalendarDay.reading($0, field: "--from") }
                ?? CalendarDay(containing: Int64(Date().timeIntervalSince1970 * 1000), in: .gmt)
            let through = try to.map { try CalendarDay.reading($0, field: "--to") }
            if let through, through < from {
                throw FieldProblem(field: "--to", found: through.description, expected: "a day from \(from) on")
            }
            let allocation = CampaignAllocation(
                name: name, network: try scope.networkID, app: AppStoreItemID(scope.app), from: from, through: through,
                kind: try wanted)
            do {
                let campaign = try allocation.allocate(inFile: file)
                let id = campaign.campaignID.map { String($0.value) } ?? campaign.sourceIdentifier?.digits ?? ""
                Terminal.write(id + "\n")
                Terminal.say("skan: \(kind.rawValue) \(id) is \"\(name)\", \(campaign.days)")
            } catch let invalid as InvalidDocuments {
                invalid.sayAll()
                throw ExitStatus.undecided
            }
        }

        private var wanted: CampaignAllocation.Kind {
            get throws {
                guard let group else {
                    return kind == .campaignID ? .campaignID : .sourceIdentifier
                }
                guard let digits = SourceIdentifier(group), group.utf8.count < 4 else {
                    throw FieldProblem(
                        field: "--group", found: group.shortened(to: 20), expected: "two or three digits, such as 39")
                }
                return .sourceIdentifierInGroup(digits)
            }
        }
    }
}
