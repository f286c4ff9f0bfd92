import Foundation
import Testing

@Suite("Variables of the environment, the same in every command")
struct EnvironmentTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
        for arguments in [
            ["tokens", "create", "--name", "dsp", "--scope", "sign", "--file", "tokens.json"],
            ["simulate", "--count", "1", "--output", "bodies", "--keys", "keys"],
        ] {
            let outcome = try skan(arguments)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let variables: [String]
        let arguments: [String]
        var status: Int32 = 0
        /// Some of what is printed, on whichever stream.
        let text: String
    }

    static let sign = [
        "sign", "--version", "4.0", "--network", "example123.skadnetwork", "--source-identifier", "1",
        "--advertised-app", "1", "--source-app", "1",
    ]
    static let testKeys = "SKAN_TRUST_TEST_KEY=keys/test-p192.public.pem,keys/test-p256.public.pem"

    /// A console at an address of no machine (RFC 5737), so that no server starts.
    static let console = [
        "SKAN_STORE=s.sqlite", "SKAN_LISTEN=127.0.0.1:0", "SKAN_CONSOLE=192.0.2.1:0", "SKAN_TOKENS=tokens.json",
    ]

    /// Listening at free ports only.
    static let check = ["serve", "--check", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"]

    static let rows = [
        Row(
            testDescription: "sign takes the list of a server", variables: ["SKAN_SIGNING_KEYS=keys.json"],
            arguments: sign, text: "attribution-signature"),
        Row(
            testDescription: "a key named with a flag comes first", variables: ["SKAN_SIGNING_KEYS=none.json"],
            arguments: sign + ["--key", "new.pem"], text: "attribution-signature"),
        Row(
            testDescription: "a list named with a flag comes first", variables: ["SKAN_SIGNING_KEYS=none.json"],
            arguments: sign + ["--signing-keys", "keys.json"], text: "attribution-signature"),
        Row(
            testDescription: "two flags contradict each other", variables: [],
            arguments: sign + ["--key", "new.pem", "--keys", "keys.json"], status: 2,
            text: "found --key and --keys, expected one of them"),
        Row(
            testDescription: "keys check takes the list of a server", variables: ["SKAN_SIGNING_KEYS=keys.json"],
            arguments: ["keys", "check"], text: "example123.skadnetwork 2.1-4.0 active P-256"),
        Row(
            testDescription: "tokens takes the list of a server", variables: ["SKAN_TOKENS=tokens.json"],
            arguments: ["tokens", "list"], text: "dsp"),
        Row(
            testDescription: "tokens takes the flag of a server", variables: ["SKAN_TOKENS=none.json"],
            arguments: ["tokens", "list", "--tokens", "tokens.json"], text: "dsp"),
        Row(
            testDescription: "an empty variable is as if it were not set", variables: ["SKAN_TOKENS="],
            arguments: ["tokens", "list"], status: 2, text: "expected --file FILE"),
        Row(
            testDescription: "recount trusts the test keys of a server",
            variables: [testKeys, "SKAN_STORE=none.sqlite"],
            arguments: ["recount"], status: 2, text: "there is no store at none.sqlite"),
        Row(
            testDescription: "a test key that is missing is an error wherever keys are trusted",
            variables: ["SKAN_TRUST_TEST_KEY=none.pem"], arguments: ["verify", "tokens.json"], status: 2,
            text: "cannot read the key file none.pem"),
        Row(
            testDescription: "serve reads its log's format", variables: ["SKAN_LOG_FORMAT=xml", "SKAN_STORE=s.sqlite"],
            arguments: ["serve"], status: 2, text: "SKAN_LOG_FORMAT: found xml, expected text or json"),
        Row(
            testDescription: "serve reads its log's level", variables: ["SKAN_LOG_LEVEL=loud", "SKAN_STORE=s.sqlite"],
            arguments: ["serve"], status: 2, text: "SKAN_LOG_LEVEL: found loud, expected one of trace, debug"),
        Row(
            testDescription: "a rate that is no number", variables: ["SKAN_SIGN_RATE=much", "SKAN_STORE=s.sqlite"],
            arguments: ["serve"], status: 2, text: "SKAN_SIGN_RATE: found much, expected 1 to 1000000 requests a second"
        ),
        Row(
            testDescription: "blanks around the names of a list do not count",
            variables: ["SKAN_STORE=s.sqlite", "SKAN_NETWORK= com.example,\texample123.skadnetwork \n,"],
            arguments: check, text: "\nnetworks: com.example, example123.skadnetwork\n"),
        Row(
            testDescription: "a network with a blank inside",
            variables: ["SKAN_STORE=s.sqlite", "SKAN_NETWORK=com.example example123.skadnetwork"], arguments: check,
            status: 2,
            text: "SKAN_NETWORK: found \"com.example example123.skadnetwork\", expected the id of one ad network"),
        Row(
            testDescription: "a list of no networks", variables: ["SKAN_STORE=s.sqlite", "SKAN_NETWORK=, ,"],
            arguments: check, status: 2, text: "SKAN_NETWORK: found \", ,\", expected the id of one ad network"),
        Row(
            testDescription: "several networks in one flag", variables: ["SKAN_STORE=s.sqlite"],
            arguments: check + ["--network", "com.example,example123.skadnetwork"], status: 2,
            text: "--network: found \"com.example,example123.skadnetwork\", expected the id of one ad network"),
        Row(
            testDescription: "an empty flag", variables: ["SKAN_STORE=s.sqlite", "SKAN_NETWORK=com.example"],
            arguments: check + ["--network", ""], status: 2, text: "--network: found \"\", expected the id of one"),
        Row(
            testDescription: "import checks networks before it makes a store", variables: [],
            arguments: ["import", "--store", "s.sqlite", "--network", "com.example ", "tokens.json"], status: 2,
            text: "--network: found \"com.example \", expected the id of one ad network"),
        Row(
            testDescription: "yes is yes", variables: console + ["SKAN_CONSOLE_PLAIN_HTTP=Yes"],
            arguments: ["serve"], status: 2, text: "the console listens without TLS"),
        Row(
            testDescription: "1 is yes", variables: console + ["SKAN_CONSOLE_PLAIN_HTTP=1"],
            arguments: ["serve"], status: 2, text: "the console listens without TLS"),
        Row(
            testDescription: "no is no", variables: console + ["SKAN_CONSOLE_PLAIN_HTTP=no"],
            arguments: ["serve"], status: 2, text: "--console-plain-http"),
        Row(
            testDescription: "any other word is an error", variables: console + ["SKAN_CONSOLE_PLAIN_HTTP=on"],
            arguments: ["serve"], status: 2,
            text: "SKAN_CONSOLE_PLAIN_HTTP: found on, expected true, yes or 1, or false, no or 0"),
        Row(
            testDescription: "so it is for every setting that is yes or no",
            variables: ["SKAN_STORE=s.sqlite", "SKAN_REQUIRE_SYNCHRONOUS=x"], arguments: ["serve"], status: 2,
            text: "SKAN_REQUIRE_SYNCHRONOUS: found x, expected true, yes or 1"),
    ]

    @Test("A flag comes first, then the variable", arguments: rows)
    func variable(_ row: Row) throws {
        let outcome = try run(
            URL(fileURLWithPath: "/usr/bin/env"), row.variables + [SkanProcess.binary.path] + row.arguments)
        #expect(outcome.status == row.status, "\(outcome)")
        #expect((outcome.output + outcome.errors).contains(row.text), "\(outcome)")
    }

    // MARK: A key from standard input

    @Test("skan sign reads a private key from standard input, whatever its mode would be in a file")
    func standardInput() throws {
        let key = try String(contentsOfFile: folder.path("new.pem"), encoding: .utf8)
        let outcome = try skan(Self.sign + ["--key", "-"], input: key)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("attribution-signature"))
    }

    static let inputs = [
        ("", "standard input holds no unencrypted private key"),
        ("nonsense", "standard input holds no unencrypted private key"),
        (String(repeating: "x", count: 65_537), "cannot read the key file standard input: found more than 65536"),
    ]

    @Test("Input that is not a key is refused, naming standard input", arguments: inputs)
    func badInput(_ input: String, _ error: String) throws {
        let outcome = try skan(Self.sign + ["--key", "-"], input: input)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(error), "\(outcome.errors)")
    }
}

@Suite("Programs that tests start")
struct ChildProcessTests {
    @Test("They have the environment of the tests, without what Tests/run.sh sets")
    func environment() throws {
        let folder = try WorkFolder()
        let outcome = try SkanProcess.run(URL(fileURLWithPath: "/usr/bin/env"), [], in: folder.url)
        let names = Set(outcome.output.split(separator: "\n").map { $0.prefix { $0 != "=" } })
        #expect(names.contains("PATH"))
        #expect(names.isDisjoint(with: ["LD_PRELOAD", "SWIFT_BACKTRACE", "_STDBUF_O"]), "\(outcome)")
    }
}

@Suite("Standard error that cannot be written")
struct StandardErrorTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    @Test("A command ends with its own status when its messages cannot be written", arguments: ["2>&-", "2>/dev/full"])
    func lost(_ redirection: String) throws {
        let outcome = try run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "\"$0\" keys check nosuch.pem \(redirection)", SkanProcess.binary.path])
        #expect(outcome.status == 2)
    }

    @Test("What was made is reported as made when its messages cannot be written")
    func made() throws {
        let outcome = try run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "\"$0\" keys generate key.pem 2>/dev/full", SkanProcess.binary.path])
        #expect(outcome.status == 0)
    }
}
