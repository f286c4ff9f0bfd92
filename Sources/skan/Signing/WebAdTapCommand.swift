import ArgumentParser
import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON

extension WebAdCommand {
    struct Tap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tap links as a device does, check each payload, and with --keys install and send the postback.",
            discussion: """
                Reads the output of skan web-ad issue, JSON or HTML. A payload must have exactly Apple's fields, the \
                link's nonce and app, the page's domain, the current time, and a signature that verifies with the \
                network's public key. Exits with status 0 if everything is what a device expects, 1 if not, \
                and 2 at the first link whose server cannot be reached.
                """
        )

        @Argument(help: "Files; - or none for standard input.", completion: .file())
        var files: [String] = []

        @Option(help: ArgumentHelp("Domain of the page that shows the links.", valueName: "domain"))
        var sourceDomain: String

        @Option(
            help: ArgumentHelp("The network's key, public or private, to verify payloads with.", valueName: "file"),
            completion: .file())
        var networkKey: String

        @Option(help: "Origin to request instead of the link's attributionDestination, such as http://127.0.0.1:8080.")
        var url: String?

        @Option(
            help: "Folder of the test keys (skan simulate makes them): install, and send a postback signed with them.",
            completion: .directory)
        var keys: String?

        @Option(help: "URL for postbacks (default: /skadnetwork/postbacks at the same origin).")
        var post: String?

        func run() async throws {
            if let url {
                _ = try URLComponents(server: url, option: "--url", takesPath: false)
            }
            if let post {
                _ = try URLComponents(server: post, option: "--post")
            }
            let device = WebAdDevice(
                sourceDomain: sourceDomain, networkKey: try SignaturePublicKey(file: networkKey))
            let standIn = try keys.map { try AppleStandIn(folder: $0) }
            var (taps, payloads, postbacks) = (0, 0, 0)
            for file in files.isEmpty ? ["-"] : files {
                let records = try RecordFile(file)
                while let batch = try records.next() {
                    for record in batch {
                        let link = try Self.link(record.bytes, file)
                        let visit: WebAdVisit
                        do {
                            visit = try await self.visit(link, device, standIn)
                        } catch let problem as WebAdDevice.Unreachable {
                            throw CommandFailure(
                                "no answer from \(problem.url.shortened(to: 200)) after \(taps) taps: \(problem.reason)",
                                hint: "see that the server runs, and that its address is right")
                        }
                        taps += 1
                        payloads += visit.impression == nil ? 0 : 1
                        postbacks += visit.postbackStatus == Recording.Status.recorded.rawValue ? 1 : 0
                        for problem in visit.problems {
                            Terminal.write("unexpected: \(link.attributionSourceNonce.shortened(to: 80)): \(problem)\n")
                        }
                        // A server may be slow to answer each of many links.
                        Terminal.finish()
                    }
                }
            }
            guard taps > 0 else {
                throw CommandFailure("there is no link in \(files.isEmpty ? "standard input" : "the files")")
            }
            Terminal.write(
                "tapped \(taps): valid payloads \(payloads)"
                    + (standIn == nil ? "" : ", postbacks recorded \(postbacks)") + "\n")
            guard payloads == taps, standIn == nil || postbacks == taps else {
                throw ExitStatus.negative
            }
        }

        private func visit(
            _ link: WebAdPageLink, _ device: WebAdDevice, _ standIn: AppleStandIn?
        ) async throws -> WebAdVisit {
            let origin = url.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
            let visit = try await device.tap(link, at: origin)
            guard let standIn else {
                return visit
            }
            return try await device.install(
                visit, standIn: standIn,
                postbackURL: post ?? (origin ?? link.attributionDestination) + "/skadnetwork/postbacks")
        }

        private static func link(_ record: [UInt8], _ file: String) throws -> WebAdPageLink {
            do {
                return record.first == UInt8(ascii: "<")
                    ? try WebAdPageLink(html: String(decoding: record, as: UTF8.self))
                    : try WebAdPageLink(json: record)
            } catch {
                throw CommandFailure(
                    "\(file == "-" ? "standard input" : file): \((error as? any CodedError)?.message ?? "not a link")",
                    hint: "give it the output of skan web-ad issue")
            }
        }
    }
}
