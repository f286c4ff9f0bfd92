import ArgumentParser

struct WebAdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web-ad",
        abstract: "Issue links of web ads (4.0, Safari), and tap them as a device does.",
        discussion: """
            A server started with --signing-keys answers each issued nonce once, at \
            /.well-known/skadnetwork/get-signed-payload.

            EXAMPLE
              skan web-ad issue --store skan.sqlite --network example123.skadnetwork --source-identifier 3120 \\
                --advertised-app 525463029 --source-domain example.com --destination https://network.example \\
              | skan web-ad tap --source-domain example.com --network-key key.pem --url http://127.0.0.1:8080
            """,
        subcommands: [Issue.self, Tap.self]
    )
}
