import Foundation
import Testing

@Suite("Options with a closed set of values")
struct CompletionScriptTests {
    /// What a shell offers after an option.
    struct Row: Sendable, CustomTestStringConvertible {
        let command: [String]
        let option: String
        let values: [String]

        var testDescription: String {
            (["skan"] + command + ["--\(option)"]).joined(separator: " ")
        }
    }

    /// The options whose values the program checks itself.
    static let others = [
        Row(command: ["serve"], option: "log-format", values: ["text", "json"]),
        Row(
            command: ["serve"], option: "log-level",
            values: ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        Row(command: ["sign"], option: "fidelity", values: ["0", "1"]),
        Row(
            command: ["quarantine", "list"], option: "reason",
            values: ["malformed", "unknown-version", "unknown-key", "invalid-signature", "conflict"]),
        Row(
            command: ["report"], option: "period",
            values: ["today", "yesterday", "this-week", "last-week", "this-month", "last-month"]),
    ]

    /// Those, and the options whose values the parser checks.
    static let rows: [Row] = {
        let dump = try? SkanProcess.run(["--experimental-dump-help"], in: FileManager.default.temporaryDirectory)
        let object = try? JSONSerialization.jsonObject(with: Data((dump?.output ?? "").utf8)) as? [String: Any]
        return others + rows(of: object?["command"] as? [String: Any] ?? [:], path: [])
    }()

    private static func rows(of command: [String: Any], path: [String]) -> [Row] {
        let own = (command["arguments"] as? [[String: Any]] ?? []).compactMap { argument -> Row? in
            let names = (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            guard let values = argument["allValues"] as? [String], !values.isEmpty,
                argument["kind"] as? String == "option",
                let name = names.max(by: { $0.count < $1.count })
            else {
                return nil
            }
            return Row(command: path, option: name, values: values)
        }
        let commands = command["subcommands"] as? [[String: Any]] ?? []
        return own + commands.flatMap { rows(of: $0, path: path + [$0["commandName"] as? String ?? ""]) }
    }

    static let scripts = ["bash", "zsh", "fish"].reduce(into: [:]) { scripts, shell in
        scripts[shell] = try? SkanProcess.run(["completion", shell], in: FileManager.default.temporaryDirectory).output
    }

    /// The function of a command in the script of bash or zsh.
    private func function(_ row: Row, _ shell: String) throws -> Substring {
        let script = try #require(Self.scripts[shell])
        let name = (["_skan"] + row.command).joined(separator: "_")
        let start = try #require(script.firstRange(of: "\n\(name)() {\n"))
        return try #require(script[start.upperBound...].split(separator: "\n}\n", maxSplits: 1).first)
    }

    @Test("bash offers them", arguments: rows)
    func bash(_ row: Row) throws {
        let function = try function(row, "bash")
        let option = try #require(function.firstRange(of: "'--\(row.option)')\n"))
        let offered = function[option.upperBound...].split(separator: ";;").first ?? ""
        #expect(row.values.allSatisfy { offered.contains($0) }, "\(offered)")
    }

    @Test("zsh offers them", arguments: rows)
    func zsh(_ row: Row) throws {
        let list = row.values.map { "'\($0)'" }.joined(separator: " ")
        let name = row.option.replacingOccurrences(of: "-", with: "_")
        let function = try function(row, "zsh")
        #expect(function.contains("___\(name)=(\(list))"))
        #expect(function.contains("{__skan_complete \"${___\(name)[@]}\"}"))
    }

    @Test("fish offers them", arguments: rows)
    func fish(_ row: Row) throws {
        let script = try #require(Self.scripts["fish"])
        let command = (["skan"] + row.command).joined(separator: " ")
        let lines = script.split(separator: "\n").filter {
            $0.contains("\"\(command)\"") || $0.contains("\"\(command) ")
        }
        let own = lines.filter { $0.contains(" -l '\(row.option)' ") }
        #expect(own.contains { $0.hasSuffix(" -rfka '\(row.values.joined(separator: " "))'") }, "\(own)")
    }

    @Test(
        "The words after help are offered, before zsh completes for the first time", arguments: ["bash", "zsh", "fish"])
    func help(_ shell: String) throws {
        let script = try #require(Self.scripts[shell])
        let commands = try #require(script.ranges(of: "serve tokens doctor ").last)
        let keys = try #require(script.ranges(of: "generate public check").last)
        #expect(commands.lowerBound < keys.lowerBound)
        if shell == "zsh" {
            let call = try #require(script.ranges(of: "\n    _skan \"${@}\"\n").last)
            #expect(keys.upperBound < call.lowerBound)
        }
    }
}
