import ArgumentParser
import Foundation

/// The manual page of one command, in the macros of man(7).
struct ManualPage {
    private let command: CommandDescription

    init(_ command: CommandDescription) {
        self.command = command
    }

    /// For example `skan-keys-check.1`.
    var fileName: String {
        name + ".1"
    }

    private var name: String {
        command.path.joined(separator: "-")
    }

    var text: String {
        var lines = [
            ".TH \"\(Self.escaped(name.uppercased()))\" 1 \"\" \"skan \(Skan.version)\"",
            ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(command.abstract ?? ""))",
            ".SH SYNOPSIS", ".nf", "\\fB\(Self.escaped(command.path.joined(separator: " ")))\\fR \(synopsis)", ".fi",
        ]
        lines += description
        lines += section("COMMANDS", command.shownSubcommands.map { ($0.commandName, $0.abstract ?? "") })
        lines += section("OPTIONS", command.shownArguments.map { (Self.form(of: $0), Self.help(of: $0)) })
        lines += [
            ".SH EXIT STATUS",
            "0 for success; 1 when a check failed; 2 when the command could not do its work.",
        ]
        let others = command.path.count > 1 ? ["skan"] : []
        let related = others + command.shownSubcommands.map { $0.path.joined(separator: "-") }
        if !related.isEmpty {
            lines += [".SH SEE ALSO", related.map { "\\fB\(Self.escaped($0))\\fR(1)" }.joined(separator: ", ")]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var synopsis: String {
        if !command.shownSubcommands.isEmpty {
            return "\\fICOMMAND\\fR"
        }
        let parts = command.shownArguments.filter { $0.kind == .positional || !$0.isOptional }.map { argument in
            let text = Self.escaped(argument.synopsis + (argument.isRepeating ? "…" : ""))
            return argument.isOptional ? "[\(text)]" : text
        }
        return (["[OPTIONS]"] + parts).joined(separator: " ")
    }

    /// The discussion: what is indented in the help is shown as it is.
    private var description: [String] {
        var lines = [".SH DESCRIPTION"]
        var isVerbatim = false
        for line in (command.discussion ?? command.abstract ?? "").split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if isVerbatim != line.hasPrefix("  ") {
                isVerbatim.toggle()
                lines.append(isVerbatim ? ".nf" : ".fi")
            }
            switch line {
            case "": lines.append(".PP")
            case "EXAMPLE", "EXAMPLES": lines.append(".SH \(line)")
            default: lines.append(Self.escaped(line.hasPrefix("  ") ? String(line.dropFirst(2)) : String(line)))
            }
        }
        return lines + (isVerbatim ? [".fi"] : [])
    }

    private func section(_ title: String, _ entries: [(term: String, text: String)]) -> [String] {
        entries.isEmpty
            ? []
            : [".SH \(title)"] + entries.flatMap { [".TP", "\\fB\(Self.escaped($0.term))\\fR", Self.escaped($0.text)] }
    }

    private static func form(of argument: CommandDescription.Argument) -> String {
        guard argument.kind != .positional else {
            return argument.synopsis
        }
        let names = (argument.names ?? []).map(\.text).sorted { $0.count < $1.count }.joined(separator: ", ")
        return argument.kind == .option ? "\(names) \((argument.valueName ?? "value").uppercased())" : names
    }

    private static func help(of argument: CommandDescription.Argument) -> String {
        let standard = argument.defaultValue.map { $0.isEmpty ? "" : "Default: \($0)." } ?? ""
        return [argument.abstract ?? "", argument.discussion ?? "", standard].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// Text that no character of is taken for a macro.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let plain = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&\(plain)" : plain
        }.joined(separator: "\n")
    }
}

/// Used by `make release`, and hidden from users.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Write a manual page for each command, made from its help.",
        shouldDisplay: false
    )

    @Option(help: "Folder for the pages; existing pages are replaced.", completion: .directory)
    var output: String

    func run() throws {
        let pages = Self.pages(of: try .ofProgram())
        try OutputFile.write(pages.map { (name: $0.fileName, text: $0.text) }, toFolder: output)
    }

    private static func pages(of command: CommandDescription) -> [ManualPage] {
        [ManualPage(command)] + command.shownSubcommands.flatMap { pages(of: $0) }
    }
}
