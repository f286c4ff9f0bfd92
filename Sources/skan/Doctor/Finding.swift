import Foundation
import StrictJSON

/// One thing that was looked at, and what to do about it.
struct Finding {
    enum Level: String {
        case ok, warning, problem
    }

    let level: Level
    /// What was looked at, in one word or two.
    let subject: String
    let text: String
    /// What to do; nil when all is well.
    let cure: String?

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(level: .ok, subject: subject, text: text, cure: nil)
    }

    static func warning(_ subject: String, _ text: String, cure: String) -> Finding {
        Finding(level: .warning, subject: subject, text: text, cure: cure)
    }

    static func problem(_ subject: String, _ text: String, cure: String) -> Finding {
        Finding(level: .problem, subject: subject, text: text, cure: cure)
    }

    /// One line.
    var line: String {
        let word = level.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        return "\(word) \(subject): \(text)" + (cure.map { "; \($0)" } ?? "")
    }

    var json: JSONText {
        .object([
            ("level", .string(level.rawValue)), ("subject", .string(subject)), ("finding", .string(text)),
            ("cure", cure.map(JSONText.string) ?? .null),
        ])
    }
}
