import ArgumentParser
package import Attribution
import AttributionServer
import AttributionSigning
import Foundation

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Generate, show and check the network's keys, and list Apple's.",
        subcommands: [Generate.self, Public.self, Check.self, Apple.self])
}

extension SignatureCurve: ExpressibleByArgument {}

extension KeysCommand {
    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Generate a private key (PKCS#8 PEM, mode 0600); never overwrites a file.")

        @Option(help: "p256, or p192 for versions 1.0 and 2.0 of networks registered up to 2020.")
        var curve: SignatureCurve = .p256

        @Argument(help: "The file to write.", completion: .file())
        var file: String

        func run() throws {
            guard file != "-" else {
                throw CommandFailure(
                    "FILE: found -, expected the name of a new file; a private key is not written to standard output",
                    hint: "skan keys generate key.pem")
            }
            let key = try NetworkPrivateKey.generate(curve)
            try KeyFile.writeNew(try key.pem(), to: file)
            Terminal.say("skan: wrote a \(curve.displayName) private key to \(file) (mode 0600); keep it secret")
            Terminal.say("skan: hint: skan register --key \(file)")
        }
    }

    struct Public: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the public key as Apple asks for it.",
            discussion: """
                Prints the PEM alone to standard output, and the key in base64, its curve and its fingerprint to \
                standard error. skan register prints everything that Apple's form asks for.
                """)

        @Argument(help: "A private or public key file.", completion: .file())
        var file: String

        func run() throws {
            let key = try SignaturePublicKey(file: file)
            Terminal.write(try key.pem())
            Terminal.finish()
            Terminal.say(
                """
                base64:      \(key.base64)
                curve:       \(key.curve.displayName)
                fingerprint: SHA256:\(key.fingerprint)
                """)
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a private key: permissions, curve and public key.",
            discussion: "Give one FILE, or --keys LIST (or SKAN_SIGNING_KEYS) to check every key of a list.")

        @Argument(help: "A private key file; - for standard input.", completion: .file())
        var file: String?

        @Option(help: "The public key given to Apple; must match the private key.", completion: .file())
        var `public`: String?

        @Option(help: "The version it has to sign; refuses a curve that does not fit.")
        var version: SKAdNetworkVersion?

        @OptionGroup var keys: SigningKeysOption

        func run() throws {
            let list = keys.file(besides: file)
            if let list {
                for entry in try NetworkKeySet(file: list).entries {
                    Terminal.write("ok \(entry.file) \(entry.summary)\n")
                    if let warning = entry.adNetworkID.caseWarning {
                        Terminal.say("skan: warning: \(warning)")
                    }
                }
            }
            guard let file else {
                guard list != nil else {
                    throw CommandFailure("expected FILE or --keys LIST", hint: "skan help keys check")
                }
                return
            }
            let key = try NetworkPrivateKey(argument: file)
            if let version, key.curve != .p256, version > .v2_0 {
                throw KeyProblem.wrongCurve(key.curve, version: version)
            }
            if let publicFile = `public` {
                guard try SignaturePublicKey(file: publicFile).matches(key) else {
                    throw KeyProblem.mismatched(privateFile: file, publicFile: publicFile)
                }
            }
            let publicKey = try key.publicKey()
            Terminal.write("ok \(file) \(publicKey.curve.displayName) SHA256:\(publicKey.fingerprint)\n")
        }
    }
}

extension KeysCommand {
    struct Apple: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys that verify Apple's postbacks, built in and added.",
            discussion: """
                Apple's published keys are built in. --apple-keys adds others, such as a new one before there is a \
                release that knows it, or the one of Developer Mode: a JSON file, as in the README's section on keys.

                EXAMPLE
                  skan keys apple --apple-keys apple-keys.json
                """)

        @OptionGroup var appleKeys: AppleKeysOption

        func run() throws {
            let added = try appleKeys.keys()
            for key in try PostbackVerifier(added: added?.records ?? []).appleKeys {
                Terminal.write("\(key.isAdded ? "added" : "built in"): \(key.name): \(key.summary)\n")
            }
            Terminal.finish()
            added?.warnings.forEach { Terminal.say("skan: warning: \($0)") }
        }
    }
}

extension NetworkPrivateKey {
    /// Reads the key file that a command names, or standard input for `-`, so that a secret need not be on disk.
    init(argument: String) throws {
        guard argument == "-" else {
            try self.init(file: argument)
            return
        }
        let name = "standard input"
        var bytes = Data()
        while let more = try FileHandle.standardInput.read(upToCount: KeyFile.maximumSize), !more.isEmpty {
            bytes += more
            guard bytes.count <= KeyFile.maximumSize else {
                throw KeyProblem.unreadable(
                    file: name, reason: "found more than \(KeyFile.maximumSize) bytes, the limit of a key")
            }
        }
        try self.init(reading: Array(bytes), file: name)
    }
}

/// The key list to sign with: `--keys`, otherwise `SKAN_SIGNING_KEYS`.
struct SigningKeysOption: ParsableArguments {
    @Option(
        name: [.customLong("keys"), .customLong("signing-keys")],
        help: "Key list (JSON; or SKAN_SIGNING_KEYS).",
        completion: .file())
    var flag: String?

    /// The list, or nil when there is neither flag nor variable.
    ///
    /// With a single key, only the flag counts, because the variable may be set for a server.
    func file(besides key: String?) -> String? {
        flag ?? (key == nil ? EnvironmentSettings().text("signing.keys") : nil)
    }
}
