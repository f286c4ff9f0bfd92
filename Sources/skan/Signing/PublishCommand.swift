import ArgumentParser
import Attribution
import AttributionReports
import Foundation
import StrictJSON

struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Write the files app developers need to work with the network.",
        subcommands: [NetworkIDs.self])
}

extension PublishCommand {
    /// One of the files.
    enum Piece: String, CaseIterable, ExpressibleByArgument {
        case json, xml
        case sourceApp = "source-app"
        case advertisedApp = "advertised-app"

        var fileName: String {
            switch self {
            case .json, .xml: "skadnetworkids.\(rawValue)"
            case .sourceApp, .advertisedApp: "\(rawValue).plist"
            }
        }

        /// The file's text; nil when it would be empty.
        func text(of publication: NetworkPublication) -> String? {
            switch self {
            case .json: publication.listJSON.map { $0.pretty + "\n" }
            case .xml: publication.listXML?.document
            case .sourceApp: publication.sourceApp.document
            case .advertisedApp: publication.advertisedApp.document
            }
        }
    }

    struct NetworkIDs: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "skadnetworkids",
            abstract: "Write the network's id list (IAB Tech Lab) and the texts for Info.plist.",
            discussion: """
                Serve skadnetworkids.json and skadnetworkids.xml from the root of the company's domain. \
                source-app.plist is for apps that show ads, advertised-app.plist for advertised apps that want copies \
                of their postbacks. The options for attribution by AdAttributionKit (iOS 18.4) add to the latter; \
                windows become those of the given ids alone, and cooldowns concern all networks.

                EXAMPLE
                  skan publish skadnetworkids --company-name "Example Ads" --company-domain example.com \\
                    --id example123.skadnetwork@2024-05-01 --id example123.adattributionkit --output public
                  skan publish skadnetworkids --company-name "Example Ads" --company-domain example.com \\
                    --id example123.adattributionkit --click-window 7 --ignore-interaction-type view \\
                    --install-cooldown 24 --piece advertised-app
                """
        )

        @Option(help: ArgumentHelp("The company's name.", valueName: "name"))
        var companyName: String

        @Option(help: ArgumentHelp("The company's domain.", valueName: "domain"))
        var companyDomain: String

        @Option(help: "The company's business address.")
        var companyAddress: String?

        @Option(
            name: .customLong("id"), parsing: .singleValue,
            help: "Ad network id, with the day it was first published if known: ID or ID@YYYY-MM-DD; may be repeated.")
        var ids: [String]

        @Option(help: "Domain that takes copies of postbacks for developers (default: the company's).")
        var copyDomain: String?

        @OptionGroup var attribution: AppAttributionOptions

        @Option(help: "Folder for all files; existing files are replaced.", completion: .directory)
        var output: String?

        @Option(help: "json, xml, source-app or advertised-app: write only this file, to standard output.")
        var piece: Piece?

        func validate() throws {
            guard (output == nil) != (piece == nil) else {
                throw ValidationError("expected one of --output FOLDER and --piece PIECE")
            }
        }

        func run() throws {
            let domain = try DomainName(companyDomain, field: "company-domain")
            let entries = try ids.map(Self.entry)
            let publication = try NetworkPublication(
                companyName: companyName,
                companyAddress: companyAddress,
                companyDomain: domain,
                entries: entries,
                copyDomain: try copyDomain.map { try DomainName($0, field: "copy-domain") } ?? domain,
                rules: try attribution.rules(of: entries.map(\.id)),
                overlapsConversions: attribution.overlappingConversions
            )
            if let piece {
                guard let text = piece.text(of: publication) else {
                    throw CommandFailure(
                        "\(piece.fileName) lists ids of SKAdNetwork only, and none was given",
                        hint: "--id example123.skadnetwork")
                }
                Terminal.write(text)
            }
            if let output {
                try write(publication, to: output)
            }
        }

        private func write(_ publication: NetworkPublication, to output: String) throws {
            let files = Piece.allCases.map { (name: $0.fileName, text: $0.text(of: publication)) }
            let whole = files.compactMap { file in file.text.map { (name: file.name, text: $0) } }
            try OutputFile.write(whole, toFolder: output)
            for (name, text) in files {
                Terminal.say(
                    text == nil
                        ? "skan: no \(name): it lists ids of SKAdNetwork only" : "skan: wrote \(output)/\(name)")
            }
        }

        private static func entry(_ text: String) throws -> NetworkPublication.Entry {
            let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            let id = try RegisteredNetworkID(String(parts[0]))
            guard parts.count == 2 else {
                return NetworkPublication.Entry(id: id, creationDate: nil)
            }
            guard let day = CalendarDay(String(parts[1])) else {
                throw FieldProblem(field: "id \(id)", found: "the day \(parts[1])", expected: "ID@YYYY-MM-DD")
            }
            let date = Date(timeIntervalSince1970: Double(day.start(in: .gmt)) / 1000)
            return NetworkPublication.Entry(id: id, creationDate: date)
        }
    }
}
