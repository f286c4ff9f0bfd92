import ArgumentParser
import Attribution
import AttributionServer
import AttributionSigning
import AttributionStore
import Foundation
import StrictJSON

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a deployment as a device meets it: TLS, paths, answers, clock, keys, disk and store.",
        discussion: """
            --url is the address registered with Apple. A forged postback is posted there: one that is answered 200 \
            quarantined invalid-signature proves the way to the store without any key, and never counts. Run it from \
            outside, too. Each finding is a line: ok, warning or problem, with its cure. Nothing is changed but the \
            quarantine, which has the forged postbacks. Ends with status 0 when there is no problem, else 1.

            --info-plist and --skadnetworkids look for our ids in an app's Info.plist and in the list that a network \
            publishes: missing, truncated, misspelt, doubled, or under a key that is not read.

            EXAMPLE
              skan doctor --url https://postbacks.example.com --store skan.sqlite
            """
    )

    @Option(help: "The server as devices reach it; without a path, every path of devices is tried.")
    var url: String?

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store: a file, or postgresql://HOST/DATABASE (or SKAN_STORE).", completion: .file())
    var store: String?

    @OptionGroup var keys: SigningKeysOption

    @OptionGroup var appleKeys: AppleKeysOption

    @Option(help: "PEM file with the TLS certificate chain (or SKAN_TLS_CERTIFICATE).", completion: .file())
    var tlsCertificate: String?

    @Option(help: "PEM file with its private key (or SKAN_TLS_KEY).", completion: .file())
    var tlsKey: String?

    @Option(help: "Info.plist of an app that shows our ads: whether our ids are in it.", completion: .file())
    var infoPlist: String?

    @Option(help: "skadnetworkids.json or .xml, saved: whether our ids are in it.", completion: .file())
    var skadnetworkids: String?

    @Option(
        name: .customLong("network"), parsing: .singleValue,
        help: "Our ad network id (or SKAN_NETWORK), besides those of --keys; may be repeated.")
    var networks: [String] = []

    @Option(help: "text or json.")
    var format: VerifyCommand.Format = .text

    func run() async throws {
        let endpoint = try url.map(EndpointCheck.init)
        var findings: [Finding] = []
        func note(_ finding: Finding) {
            findings.append(finding)
            if format == .text {
                Terminal.write(finding.line + "\n")
                Terminal.finish()
            }
        }
        let environment = EnvironmentSettings()
        let ids = IDListCheck(ours: infoPlist ?? skadnetworkids == nil ? [] : try ownIDs(environment))
        MachineCheck.run().forEach(note)
        KeyCheck.run(appleKeys: appleKeys).forEach(note)
        if let list = keys.file(besides: nil) {
            await KeyCheck.run(list: list).forEach(note)
        }
        infoPlist.map(ids.infoPlist)?.forEach(note)
        skadnetworkids.map(ids.publishedList)?.forEach(note)
        if let certificate = tlsCertificate ?? environment.text("tls.certificate"),
            let key = tlsKey ?? environment.text("tls.key")
        {
            note(KeyCheck.run(certificate: certificate, key: key))
        }
        var check: StoreCheck?
        if let store = store ?? environment.text("store") {
            do throws(StoreError) {
                check = StoreCheck(location: try StoreLocation(store))
            } catch {
                note(.problem("store", error.message, cure: error.hint ?? "skan help doctor"))
            }
        }
        await check?.run().forEach(note)
        let before = await check?.forgedCount()
        let kept = await endpoint?.run(note) ?? 0
        if let before, kept > 0, await check?.forgedCount() == before {
            note(
                .problem(
                    "arrival", "what was posted did not reach the store that --store names",
                    cure: "name the server's store; another program may answer at --url, as skan listen does"))
        }
        let problems = findings.count { $0.level == .problem }
        let warnings = findings.count { $0.level == .warning }
        if format == .json {
            Terminal.write(
                JSONText.object([
                    ("problems", .integer(Int64(problems))), ("warnings", .integer(Int64(warnings))),
                    ("findings", .array(findings.map(\.json))),
                ]).pretty + "\n")
        }
        if problems > 0 {
            throw ExitStatus.negative
        }
    }

    /// Our ids, as Apple gave them; a list of keys that cannot be read is a finding of its own.
    private func ownIDs(_ environment: EnvironmentSettings) throws(CommandFailure) -> [String] {
        var ids = try ServeSettings.networks(networks, environment).map(\.lowercasedASCII)
        if let list = keys.file(besides: nil), let set = try? NetworkKeySet(file: list) {
            ids += set.entries.map(\.adNetworkID.registered)
        }
        var known: Set<String> = []
        return ids.filter { known.insert($0).inserted }
    }
}
