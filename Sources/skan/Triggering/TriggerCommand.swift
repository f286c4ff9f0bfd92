import ArgumentParser
import Attribution
import AttributionHarness
import Foundation
import StrictJSON

struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Send one signed delivery to a server, and print its verdict.",
        discussion: """
            The postback is signed with the test keys in --keys, made on first use and the same from then on. A server \
            counts it as test, and only when it was started with --trust-test-key for both public keys. --list names \
            the deliveries. Ends with status 0 when the verdict is the expected one, 1 when it is another, 2 when there \
            is none.

            EXAMPLE
              skan trigger install
              skan trigger tampered --url http://127.0.0.1:8080
            """
    )

    @Argument(
        help: "Which delivery; --list names them.", completion: .list(DeliveryTrigger.allCases.map(\.rawValue)))
    var name: DeliveryTrigger?

    @Flag(help: "Name the deliveries, and what each is.")
    var list = false

    @Option(help: "The server; without a path, the delivery's own is added.")
    var url = "http://127.0.0.1:8080"

    @Option(help: "Folder of the test keys.", completion: .directory)
    var keys = "skan-test-keys"

    @Option(help: "The ad network it is for.")
    var network: String?

    @Option(help: "Its transaction-id or postback-identifier (default: a new one); a second time makes a repeat.")
    var transactionID: String?

    func validate() throws {
        guard list || name != nil else {
            throw ValidationError("expected NAME or --list")
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
        let target = try DeliveryURL(url, option: "--url").url(name.path)
        let answer: DeliveryClient.Answer
        do {
            answer = try await DeliveryClient().post(body, to: target)
        } catch {
            throw CommandFailure("no answer from \(target): \(DeliveryClient.reason(error))", hint: serveHint)
        }
        let text = String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .newlines)
        Terminal.write("\(answer.status) \(text.shortened(to: 2_000))\n")
        try compare(answer, with: name.expectation)
    }

    private var serveHint: String {
        "skan serve --store skan.sqlite --trust-test-key \(keys)/test-p192.public.pem "
            + "--trust-test-key \(keys)/test-p256.public.pem"
    }

    private func compare(
        _ answer: DeliveryClient.Answer, with expectation: PlannedDelivery.Expectation
    ) throws {
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
            let isRepeat = transactionID != nil && ["duplicate", "conflict"].contains(text("status"))
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
