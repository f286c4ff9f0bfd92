import ArgumentParser
import Attribution
import AttributionConsole
import AttributionReports
import Foundation
import Logging
import StrictJSON

struct TokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Create, list and revoke tokens of the console.",
        discussion: """
            A name may have two live tokens, so that one can replace the other: create the second, switch the clients, \
            revoke the first. A running server applies each change with the next request.

            EXAMPLE
              skan tokens create --name dsp-1 --scope sign,report --file tokens.json
              skan serve --store skan.sqlite --tokens tokens.json
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )
}

extension TokensCommand {
    struct FileOption: ParsableArguments {
        @Option(
            name: [.customLong("file"), .customLong("tokens")],
            help: "The token list (JSON, mode 0600; or SKAN_TOKENS).", completion: .file())
        var file: String?

        var list: AccessFile {
            get throws {
                guard let file = file ?? EnvironmentSettings().text("tokens"), !file.isEmpty else {
                    throw CommandFailure(
                        "expected --file FILE", hint: "or name the list once: export SKAN_TOKENS=FILE")
                }
                return AccessFile(file)
            }
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a token and print it, once; only its digest is stored.",
            discussion: """
                With --app, for an advertiser: reports and pages count these apps alone, and GET /v1/postbacks has their \
                postbacks that won. Everything else is refused: quarantine, deliveries, health, metrics and keys.
                """)

        @Option(help: "Its holder: a-z 0-9 . _ -, at most 64 characters.")
        var name: String

        @Option(
            help: "sign, report, metrics, manage (change the store) or admin (everything); comma-separated.",
            completion: .scopes)
        var scope: String

        @Option(
            name: .customLong("network"), parsing: .singleValue,
            help: "Limit it to this ad network id (sign and report only); may be repeated (default: every network).")
        var networks: [String] = []

        @Option(
            name: .customLong("app"), parsing: .singleValue,
            help: "Limit it to this App Store id (report only); may be repeated (default: every app).")
        var apps: [String] = []

        @Option(help: "The first day (UTC) on which it is refused, YYYY-MM-DD (default: never).")
        var expires: String?

        @OptionGroup var option: FileOption

        func run() throws {
            let scopes: [AccessScope]
            let networks: [AdNetworkID]
            let apps: [AppStoreItemID]
            do throws(FieldProblem) {
                scopes = try Self.scopes(scope)
                networks = try self.networks.map { network throws(FieldProblem) in
                    try AdNetworkID.ofSetting(network, field: "network")
                }
                apps = try self.apps.map { app throws(FieldProblem) in
                    try AppStoreItemID.ofSetting(app, field: "app")
                }
            } catch {
                throw error.withoutTokens
            }
            let day = try expires.map { try CalendarDay.reading($0, field: "expires") }
            let (token, grant) = try option.list.update(creatingFile: true) { list throws(AccessProblem) in
                var generator = SystemRandomNumberGenerator()
                return try list.create(
                    name: name, scopes: scopes, networks: networks, apps: apps, expires: day, now: Date(),
                    using: &generator)
            }
            Terminal.write(token.text + "\n")
            Terminal.say(
                "skan: created token \(grant.id) of \(grant.name); it is shown only once: only its digest is stored")
        }

        private static func scopes(_ text: String) throws(FieldProblem) -> [AccessScope] {
            try text.split(separator: ",", omittingEmptySubsequences: false).map { word throws(FieldProblem) in
                guard let scope = AccessScope(rawValue: String(word)) else {
                    let known = AccessScope.allCases.map(\.rawValue)
                    throw FieldProblem(
                        field: "scope", found: String(word).quotedIfEmpty.shortened(to: 40),
                        expected: "one of \(known.joined(separator: ", "))\(known.suggestion(for: String(word)))")
                }
                return scope
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the tokens' ids, holders, scopes and last uses.",
            discussion: """
                USED is when a server last saw the token, to about a minute; a server records it beside the list, in \
                FILE-uses. A dash means that no use is known.
                """
        )

        @OptionGroup var option: FileOption

        func run() throws {
            let now = Date()
            let list = try option.list
            let uses = uses(of: list)
            let header = ["ID", "NAME", "SCOPES", "NETWORKS", "APPS", "CREATED", "EXPIRES", "USED", "STATE"]
            let rows = try list.load().grants.map { grant in
                [
                    grant.id, grant.name, grant.scopes.map(\.rawValue).joined(separator: ","),
                    grant.networks.isEmpty ? "all" : grant.networks.map(\.text).joined(separator: ","),
                    grant.apps.isEmpty ? "all" : grant.apps.map(\.description).joined(separator: ","),
                    grant.created.formatted(.iso8601), grant.expires?.description ?? "never",
                    uses[grant.id].map { Date(timeIntervalSince1970: Double($0)).formatted(.iso8601) } ?? "-",
                    grant.isLive(at: now) ? "live" : "expired",
                ]
            }
            Terminal.write(Columns([header] + rows).text)
        }

        /// The last uses; if their file cannot be read, the column stays empty.
        private func uses(of list: AccessFile) -> [String: Int64] {
            do {
                return try AccessUses(of: list, logger: Logger(label: "skan") { _ in SwiftLogNoOpLogHandler() }).load()
            } catch {
                let failure = CommandFailure(explaining: error, help: "skan help tokens list")
                Terminal.say("skan: warning: \(failure.message)")
                return [:]
            }
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a token from the list; it is refused from the next request on.")

        @Argument(help: "The token's id, the token itself, or its holder's name if that has only one token.")
        var token: String

        @OptionGroup var option: FileOption

        func run() throws {
            let grant = try option.list.update(creatingFile: false) { list throws(AccessProblem) in
                try list.revoke(token)
            }
            Terminal.say("skan: revoked token \(grant.id) of \(grant.name)")
        }
    }
}
