import ArgumentParser
import Attribution
import AttributionHarness
import AttributionListener
import Foundation
import StrictJSON

struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Send one signed delivery to a server, and print its verdict.",
        discussion: """
            The postback is signed with the test keys in the folder --keys, which are created on first use. A server \
            that was started with --trust-test-key for both public keys counts it as test. Only \
            development is signed by Apple itself, with a development key: every server counts it as development, \
            once. --list shows the names of the deliveries. Exits with status 0 if the verdict is the expected one, 1 if it is another, 2 if there is \
            none.

            EXAMPLES
              skan trigger install
              skan trigger tampered --url http://127.0.0.1:8080
            """
    )

    @Argument(
        help: "The delivery's name; --list shows all.", completion: .list(DeliveryTrigger.allCases.map(\.rawValue)))
    var name: DeliveryTrigger?

    @Flag(help: "List the deliveries.")
    var list = false

    @Option(help: "The server; without a path, the delivery's own is added.")
    var url = "http://127.0.0.1:8080"

    @Option(help: "Folder of the test keys.", completion: .directory)
    var keys = "skan-test-keys"

    @Option(help: "Ad network id.")
    var network: String?

    @Option(help: "transaction-id or postback-identifier (default: a new one); an id sent before makes a repeat.")
    var transactionID: String?

    func validate() throws {
        guard list || name != nil else {
            throw ValidationError("expected NAME or --list")
        }
        if let name, name.isFixed, network != nil || transactionID != nil {
            throw ValidationError(
                "found \(network == nil ? "--transaction-id" : "--network") with \(name.rawValue), expected none: "
                    + "Apple signed its network and id")
        }
    }

    func run() async throws {
        guard let name, !list else {
            let width = DeliveryTrigger.allCases.map(\.rawValue.count).max() ?? 0
            for trigger in DeliveryTrigger.allCases {
                Terminal.write(
                    trigger.rawValue.padding(toLength: width, withPad: " ", startingAt: 0) + "  \(trigger.summary)\n")
            }
            return
        }
        let isNew = !FileManager.default.fileExists(atPath: "\(keys)/test-p256.pem")
        let standIn = try AppleStandIn(folder: keys)
        if isNew {
            Terminal.say("skan: made test keys in \(keys)")
            Terminal.say("skan: hint: \(serveHint)")
        }
        let body = try name.body(
            by: standIn, id: transactionID ?? UUID().uuidString.lowercased(), network: network)
        let server = try DeliveryURL(url, option: "--url")
        let target = server.url(name.path)
        let answer: DeliveryClient.Answer
        do {
            answer = try await DeliveryClient().post(body, to: target)
        } catch {
            // A server that is not running is started; anything else about a connection is what doctor examines.
            let isMissing = DeliveryClient.isUnreachable(error) && server.isLoopback
            throw CommandFailure(
                "no answer from \(target): \(DeliveryClient.reason(error))",
                hint: isMissing ? serveHint : "skan doctor --url \(url)")
        }
        let text = String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .newlines)
        Terminal.write("\(answer.status) \(text.shortened(to: 2_000))\n")
        try compare(answer, with: name)
    }

    private var serveHint: String {
        "skan serve --store skan.sqlite --trust-test-key \(keys)/test-p192.public.pem "
            + "--trust-test-key \(keys)/test-p256.public.pem"
    }

    private func compare(_ answer: DeliveryClient.Answer, with name: DeliveryTrigger) throws {
        let expectation = name.expectation
        let object = try? JSONObject(reading: answer.body)
        func text(_ name: String) -> String? {
            guard case .string(let text) = object?[name] else {
                return nil
            }
            return text
        }
        switch expectation {
        case .refused where answer.status == 400: return
        case .durable(let status, let reason) where answer.status == 200:
            // A repeat of an id is what was asked for, too.
            let isExpected = text("status") == status.rawValue && text("reason") == reason?.rawValue
            let mayRepeat = transactionID != nil || name.isFixed
            let isRepeat = mayRepeat && ["duplicate", "conflict"].contains(text("status"))
            if isExpected || isRepeat {
                return
            }
            Terminal.finish()
            if status == .recorded, ["invalid-signature", "unknown-key"].contains(text("reason")) {
                Terminal.say("skan: warning: the server does not trust the test keys")
                Terminal.say("skan: hint: \(serveHint)")
            } else {
                let words = [status.rawValue, reason?.rawValue].compactMap(\.self).joined(separator: " ")
                Terminal.say("skan: warning: expected \(words)")
            }
        default:
            Terminal.finish()
            Terminal.say("skan: warning: expected \(expectation == .refused ? "400" : "200")")
        }
        throw ExitStatus.negative
    }
}

extension DeliveryTrigger: ExpressibleByArgument {}
