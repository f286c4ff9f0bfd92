import Foundation
import StrictJSON

/// The environment variables that stand in for flags: `SKAN_STORE`, `SKAN_TOKENS`, `SKAN_SIGNING_KEYS` and so on.
struct EnvironmentSettings {
    private let variables = ProcessInfo.processInfo.environment

    /// The value of a variable, named in lowercase without the prefix and with dots for underscores.
    ///
    /// An empty one is treated as unset, because compose files and systemd units may leave variables empty.
    func text(_ name: String) -> String? {
        variables[Self.variable(name)].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variable that is named in lowercase without the prefix and with dots for underscores.
    static func variable(_ name: String) -> String {
        "SKAN_" + name.uppercased().replacing(".", with: "_")
    }

    /// Whether a variable says yes; unset, it says no.
    ///
    /// - Throws: ``CommandFailure`` naming the variable, for any other word.
    func flag(_ name: String) throws(CommandFailure) -> Bool {
        guard let text = text(name) else {
            return false
        }
        switch text.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default:
            throw CommandFailure(
                "\(Self.variable(name)): found \(text.shortened(to: 40)), expected true, yes or 1, or false, no or 0",
                hint: "skan help serve")
        }
    }

    /// The comma-separated values of a variable, without the blanks around them.
    func list(_ name: String) -> [String] {
        (text(name) ?? "").split(separator: ",").compactMap { value in
            let trimmed = value.trimmingPrefix(while: \.isWhitespace)
            return trimmed.lastIndex { !$0.isWhitespace }.map { String(trimmed[...$0]) }
        }
    }
}
