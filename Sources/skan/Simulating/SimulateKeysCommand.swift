import ArgumentParser
import AttributionHarness

extension SimulateCommand {
    /// Makes the test keys, for a server to be started with before anything is sent.
    struct Keys: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keys",
            abstract:
                "Make the test keys that stand in for Apple's, unless they are there, and say how a server trusts them."
        )

        @Argument(help: "The folder.", completion: .directory)
        var folder = "skan-test-keys"

        func run() throws {
            _ = try AppleStandIn(folder: folder)
            Terminal.say("skan: the test keys are in \(folder)")
            Terminal.say("skan: hint: skan serve \(Self.trust(folder))")
        }

        /// The options with which a server trusts the keys of a folder.
        static func trust(_ folder: String) -> String {
            ["p192", "p256"].map { "--trust-test-key \(folder)/test-\($0).public.pem" }.joined(separator: " ")
        }
    }
}
