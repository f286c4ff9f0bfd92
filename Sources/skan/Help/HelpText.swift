/// The help of a command as the parser renders it, but with examples in one piece.
///
/// The parser breaks every line at the width of the terminal, and half a command cannot be pasted.
struct HelpText {
    private let rendered: String
    private let command: CommandDescription
    private let columns: Int

    /// Takes what the parser rendered.
    init(_ rendered: String, of command: CommandDescription, columns: Int) {
        self.rendered = rendered
        self.command = command
        self.columns = columns
    }

    /// The help.
    var text: String {
        // Of `skan --help report` the parser renders the program's.
        guard let usage = rendered.firstRange(of: "\n\nUSAGE: \(command.path.joined(separator: " "))") else {
            return rendered
        }
        var overview = "OVERVIEW: \(command.abstract ?? "")"
        if let discussion = command.discussion, !discussion.isEmpty {
            overview += "\n\n\(discussion)"
        }
        let lines = overview.split(separator: "\n", omittingEmptySubsequences: false)
        let wrapped = lines.flatMap { $0.hasPrefix("  ") ? [String($0)] : Self.wrapped($0, columns) }
        return wrapped.joined(separator: "\n") + rendered[usage.lowerBound...]
    }

    /// Breaks a line at spaces.
    private static func wrapped(_ line: Substring, _ columns: Int) -> [String] {
        var lines = [""]
        for word in line.split(separator: " ") {
            let current = lines[lines.count - 1]
            if current.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if current.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(current) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
