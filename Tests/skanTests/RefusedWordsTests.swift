import Foundation
import Testing

/// Words that the argument parser refuses: every message is the program's own.
@Suite("Words that are no valid command")
struct RefusedWordsTests {
    /// Runs nothing: the words are refused before a command begins.
    private static func skan(_ words: [String]) throws -> SkanProcess.Outcome {
        let folder = try WorkFolder()
        return try SkanProcess.run(words, in: folder.url)
    }

    @Test(
        "Each kind of mistake names the option, what was found and what is expected",
        arguments: [
            // A value of another type.
            ("serve --listen 8080", "--listen: found 8080, expected HOST:PORT, for example 127.0.0.1:8080"),
            ("listen --listen=:8080", "--listen: found :8080, expected HOST:PORT, for example 127.0.0.1:8080"),
            (
                "serve --signing localhost",
                "--signing: found localhost, expected HOST:PORT or unix:PATH, for example 127.0.0.1:8082"
            ),
            (
                "serve --signing unix:x/",
                "--signing: found unix:x/, expected HOST:PORT or unix:PATH, for example 127.0.0.1:8082"
            ),
            ("serve --sign-rate abc", "--sign-rate: found abc, expected a whole number, 0 or more"),
            ("simulate --count 5.5", "--count: found 5.5, expected a whole number, 0 or more"),
            ("simulate --faults x", "--faults: found x, expected a number, 0 or more"),
            (
                "simulate --count 99999999999999999999",
                "--count: found 99999999999999999999, expected a whole number up to 9223372036854775807"
            ),
            ("sign --advertised-app com.foo", "--advertised-app: found com.foo, expected a whole number, 0 or more"),
            ("quarantine show abc", "ID: found abc, expected a whole number, 0 or more"),
            // A value outside a closed set.
            ("serve --forwarding-field x", "--forwarding-field: found x, expected one of x-forwarded-for, forwarded"),
            ("verify --format=", "--format: expected one of text, json"),
            ("keys check --version 5.0 k", "--version: found 5.0, expected one of 1.0, 2.0, 2.1, 2.2, 3.0, 4.0"),
            // No value, or one that looks like an option.
            ("serve --listen --store s", "--listen: expected HOST:PORT, for example 127.0.0.1:8080"),
            ("report --store=", "--store: expected a value"),
            ("report -qo", "-o: expected a value"),
            ("verify --trust-test-key -- f", "--trust-test-key: expected a value"),
            ("simulate --count -5", "--count: found -5, expected a whole number, 0 or more"),
            ("simulate --count -5 --seed -1", "--count: found -5, expected a whole number, 0 or more"),
            ("simulate --seed -1", "--seed: found -1, expected a whole number, 0 or more"),
            (
                "tokens create --name -x",
                "--name: found -x, expected a value that does not begin with a hyphen, or --name=-x"
            ),
            // A value for a flag, and flags that exclude each other.
            ("serve --check=true", "--check: found true, expected no value"),
            ("report --test --development", "found --test and --development, expected one of them"),
            ("export --foreign --test", "found --test and --foreign, expected one of them"),
            // Unknown names.
            ("--store= report", "--store: found before report, expected after it"),
            ("--store x report", "--store: found before report, expected after it"),
            ("-s x quarantine list", "-s: found before quarantine, expected after it"),
            ("quarantine --store x list", "--store: found before list, expected after it"),
            ("--store=x", "--store: found before the command, expected after it"),
            ("--storee=x report", "unknown option --storee"),
            ("report -sfile", "unknown option -sfile; did you mean -s file?"),
            ("report -store x", "unknown option -store; did you mean --store?"),
            ("report -qx", "unknown option -qx"),
            ("report -=", "unknown option -="),
            ("report --=x", "unknown option --=x"),
            ("verify -f x", "unknown option -f"),
            ("quarantine show -1", "unknown option -1"),
            ("help --nosuch", "unknown option --nosuch"),
            ("help report --nosuch", "unknown option --nosuch"),
            ("help report x", "unknown command x of skan report"),
            ("--generate-completion-script tcsh", "unknown option --generate-completion-script"),
            // Too many words.
            ("keys generate a b c", "unexpected argument b"),
            ("version x", "unexpected argument x"),
            ("report w.sqlite", "unexpected argument w.sqlite; did you mean --store w.sqlite?"),
            ("recount w.sqlite", "unexpected argument w.sqlite; did you mean --store w.sqlite?"),
            ("export -s s -- -x", "unexpected argument -x"),
            // Checks of a command's own.
            ("export --limit=-1", "expected --limit 1 or more"),
            ("replay f --url http://h --speed 0", "expected --concurrency 1…1024, and --speed above 0"),
        ])
    func refused(_ line: String, _ message: String) throws {
        let outcome = try Self.skan(line.split(separator: " ").map { String($0) })
        #expect(outcome.status == 2 && outcome.output == "")
        let lines = outcome.errors.split(separator: "\n")
        try #require(lines.count == 2, "\(outcome.errors)")
        #expect(lines[0] == "skan: error: \(message)")
        #expect(lines[1].hasPrefix("skan: hint: skan help"))
    }

    @Test(
        "An empty word is shown as one", arguments: [([""], "unknown command \"\""), (["export", ""], "unexpected")])
    func emptyWord(_ words: [String], _ beginning: String) throws {
        let outcome = try Self.skan(words)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("skan: error: \(beginning)"), "\(outcome.errors)")
    }

    // MARK: Every option of every command

    /// The command, the option and the kind of each option and flag, as the program describes them.
    static let options: [(line: String, isFlag: Bool)] = {
        let dump = try? SkanProcess.run(["--experimental-dump-help"], in: FileManager.default.temporaryDirectory)
        let object = try? JSONSerialization.jsonObject(with: Data((dump?.output ?? "").utf8)) as? [String: Any]
        return options(of: object?["command"] as? [String: Any] ?? [:], path: [])
    }()

    private static func options(of command: [String: Any], path: [String]) -> [(line: String, isFlag: Bool)] {
        let own = (command["arguments"] as? [[String: Any]] ?? []).compactMap { argument -> (String, Bool)? in
            let names = (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            let kind = argument["kind"] as? String
            guard kind != "positional", let name = names.max(by: { $0.count < $1.count }),
                !["help", "version"].contains(name)
            else {
                return nil
            }
            return ((path + ["--\(name)"]).joined(separator: " "), kind == "flag")
        }
        let commands = command["subcommands"] as? [[String: Any]] ?? []
        return own + commands.flatMap { options(of: $0, path: path + [$0["commandName"] as? String ?? ""]) }
    }

    @Test("No option leads to a sentence of the parser", arguments: options)
    func everyOption(_ line: String, _ isFlag: Bool) throws {
        // A flag with a value, or an option without one.
        let outcome = try Self.skan((isFlag ? "\(line)=x" : line).split(separator: " ").map { String($0) })
        let name = line.split(separator: " ").last ?? ""
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.hasPrefix("skan: error: \(name): \(isFlag ? "found x, " : "")expected "))
    }

    @Test("The program describes its options")
    func described() {
        #expect(Self.options.count > 150)
    }
}
